#include "storage/sqlite3/salvage.h"

#include <algorithm>
#include <map>

#include "storage/sqlite3/tables.h"

// A leaf is taken for the table to which its first recognisable row belongs. That is enough,
// because a page never has rows of two tables.
//
// A page that SQLite has given up keeps its old bytes. Its rows may have moved to another leaf and
// would be found twice. So leaves are put in order of their first ids, and one that begins before
// the last one has ended is left out.
//
// rosbag2 numbers its messages without gaps. So the span of the ids found, less the number of rows
// found, is the number of lost messages, except those before the first and behind the last one that
// was found. The reader corrects it by the time index or the embedded metadata, if they can be
// read.

namespace kitbag::sqlite3 {

namespace {

constexpr std::size_t kReadBytes = 1 << 20;

struct FoundLeaf {
  std::uint32_t page;
  std::int64_t first = 0;
  std::int64_t last = 0;         ///< that was recognized
  std::int64_t dense_last = 0;   ///< up to this one, each id follows the one before
  std::int64_t last_cell = 0;    ///< the id of the last cell, whose record may be damaged
  std::uint64_t rows = 0;        ///< that were recognized
  std::uint64_t dense_rows = 0;  ///< up to dense_last
  bool is_whole = true;          ///< all its cells were recognized, and fit in front of the next
};

class FixedTree final : public TableTree {
 public:
  explicit FixedTree(Leaves leaves) : leaves_(std::move(leaves)) {}
  Leaves leaves_at(std::int64_t) const override { return leaves_; }
  bool is_salvaged() const override { return true; }

 private:
  Leaves leaves_;
};

/// In order of their rows. A page that was given up may still hold rows that have moved on.
std::vector<FoundLeaf> kept_of(std::vector<FoundLeaf> found) {
  std::sort(found.begin(), found.end(), [](const FoundLeaf& a, const FoundLeaf& b) {
    return std::pair(a.first, a.page) < std::pair(b.first, b.page);
  });
  std::vector<FoundLeaf> kept;
  for (const FoundLeaf& leaf : found) {
    if (!kept.empty() && leaf.first <= kept.back().last) {
      // Either one id of the leaf before is damaged, or this leaf was given up.
      if (leaf.first <= kept.back().dense_last) continue;
      kept.back().last = kept.back().dense_last;
      kept.back().rows = kept.back().dense_rows;
      kept.back().is_whole = false;
    }
    kept.push_back(leaf);
  }
  return kept;
}

/// The largest id that a row of the leaf may have.
///
/// A damaged row at the end belongs to its leaf as one in the middle does, so that the reader goes
/// on behind it. Its id may be damaged too: it does not reach into the next leaf.
std::int64_t last_of(const std::vector<FoundLeaf>& kept, std::size_t i) {
  if (i + 1 == kept.size()) return INT64_MAX;  // nothing comes behind
  return std::min(kept[i].last_cell, kept[i + 1].first - 1);
}

std::shared_ptr<const TableTree> tree_of(const std::vector<FoundLeaf>& kept) {
  if (kept.empty()) return nullptr;
  Leaves leaves;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    leaves.leaves.push_back({kept[i].page, last_of(kept, i)});
  }
  return std::make_shared<const FixedTree>(std::move(leaves));
}

class Searcher {
 public:
  Searcher(const PageFile& file, const MessageColumns& columns)
      : file_(file), message_columns_(columns) {}

  Salvage run() {
    Buffer pages;
    auto at_once = static_cast<std::uint32_t>(kReadBytes / file_.page_bytes());
    for (std::uint32_t page = 1; page <= file_.count();) {
      file_.read(page, at_once, pages);
      auto count = static_cast<std::uint32_t>(pages.size() / file_.page_bytes());
      for (std::uint32_t i = 0; i < count; ++i) {
        look_at(page + i,
                pages.view().subspan(std::size_t{i} * file_.page_bytes(), file_.page_bytes()));
      }
      page += std::max(count, 1U);
    }
    Salvage result;
    std::vector<FoundLeaf> messages = kept_of(std::move(found_[Table::messages]));
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (!messages[i].is_whole) count_again(messages, i);
    }
    count(messages, result);
    result.messages = tree_of(messages);
    auto tree = [this](Table table) { return tree_of(kept_of(std::move(found_[table]))); };
    result.topics = tree(Table::topics);
    result.definitions = tree(Table::definitions);
    result.metadata = tree(Table::metadata);
    result.stamps = tree(Table::stamps);
    result.channels = tree(Table::channels);
    result.records = tree(Table::records);
    return result;
  }

 private:
  void look_at(std::uint32_t number, ByteView bytes) {
    LeafPage page(file_, bytes, number);
    if (!page.ok()) return;
    std::uint32_t cells = page.cells();
    page.drop_bad_cells(kept_);
    Table table = Table::none;
    FoundLeaf leaf{.page = number};
    for (std::uint32_t i = 0; i < page.cells(); ++i) {
      auto row = page.row(i);
      if (row) leaf.last_cell = row->id;
      Table kind = row ? table_with(*row) : Table::none;
      if (kind == Table::none || (table != Table::none && kind != table)) continue;
      if (table == Table::none) leaf.first = leaf.dense_last = row->id;
      if (row->id > leaf.dense_last && row->id - 1 == leaf.dense_last) ++leaf.dense_last;
      table = kind;
      leaf.last = row->id;
      ++leaf.rows;
      if (leaf.dense_last == leaf.last) leaf.dense_rows = leaf.rows;
    }
    leaf.is_whole = leaf.rows == cells;
    if (table != Table::none) found_[table].push_back(leaf);
  }

  /// The table that has such a row.
  Table table_with(const Row& row) {
    bool is_record = parse_record(row.local, row.size, columns_);
    Table usual = is_record ? table_of(columns_, row.local) : Table::none;
    bool may_be_message = usual == Table::none && !message_columns_.are_usual();
    bool is_message = may_be_message && parse_message(file_, row, message_columns_).has_value();
    return is_message ? Table::messages : usual;
  }

  /// Counts the messages of a leaf as its reader finds them, who knows the leaves around it: a row
  /// whose id is damaged then does not hide those behind it.
  void count_again(std::vector<FoundLeaf>& leaves, std::size_t i) {
    Buffer bytes;
    file_.read(leaves[i].page, 1, bytes);
    if (bytes.size() == 0) return;
    LeafPage page(file_, bytes.view(), leaves[i].page);
    if (!page.ok()) return;
    page.drop_bad_cells(kept_, i > 0 ? last_of(leaves, i - 1) : INT64_MIN, last_of(leaves, i));
    leaves[i].rows = 0;
    for (std::uint32_t cell = 0; cell < page.cells(); ++cell) {
      auto row = page.row(cell);
      if (!row || !parse_message(file_, *row, message_columns_)) continue;
      if (leaves[i].rows++ == 0) leaves[i].first = row->id;
      leaves[i].last = row->id;
    }
  }

  static void count(const std::vector<FoundLeaf>& leaves, Salvage& result) {
    if (leaves.empty()) return;
    for (const FoundLeaf& leaf : leaves) result.messages_found += leaf.rows;
    std::uint64_t span = static_cast<std::uint64_t>(leaves.back().last) -
                         static_cast<std::uint64_t>(leaves.front().first) + 1;
    result.messages_missing = span - std::min(span, result.messages_found);
  }

  const PageFile& file_;
  MessageColumns message_columns_;
  std::map<Table, std::vector<FoundLeaf>> found_;
  std::vector<Column> columns_;
  std::vector<std::uint32_t> kept_;
};

}  // namespace

Salvage salvage(const PageFile& file, const MessageColumns& columns) {
  return Searcher(file, columns).run();
}

}  // namespace kitbag::sqlite3
