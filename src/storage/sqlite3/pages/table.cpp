#include "storage/sqlite3/pages/table.h"

#include <algorithm>
#include <cstring>

#include "storage/sqlite3/pages/big_endian.h"
#include "storage/sqlite3/pages/cell_area.h"

// Leaves that lie within 256 KiB of the file are read by one call. Four such windows are kept.
// Batches point into them, so a window is not written to again while a batch holds it.
//
// A record that does not fit into its page continues in a chain of pages (section 1.7), each with
// the number of the next one in its first four bytes. local_bytes() is the specification's formula
// for what stays in the leaf.
//
// A leaf whose rows are fewer than the ids that it may have is checked for cells that its head
// leaves out (cell_area.h). Rows that were never deleted have all ids, so that is done for the
// first leaf and the last one only.

namespace kitbag::sqlite3 {

namespace {

/// What is read at once where leaves are read one after the other.
constexpr std::size_t kWindowBytes = 256 << 10;
/// Of a record that goes over many pages, read at once.
constexpr std::size_t kChainBytes = 1 << 20;

/// How much of a record of `size` bytes stands in a leaf of a table; the rest overflows.
std::uint64_t local_bytes(std::uint64_t size, std::uint64_t usable) {
  std::uint64_t most = usable - 35;
  if (size <= most) return size;
  std::uint64_t least = (usable - 12) * 32 / 255 - 23;
  std::uint64_t fitting = least + (size - least) % (usable - 4);
  return fitting <= most ? fitting : least;
}

}  // namespace

LeafPage::LeafPage(const PageFile& file, ByteView bytes, std::uint32_t number)
    : bytes_(bytes.first(file.usable_bytes())), number_(number), usable_(file.usable_bytes()) {
  std::size_t head = head_of(number);
  cells_ = load_be16(bytes_.data() + head + 3);
  pointers_ = head + 8;
  is_ok_ = static_cast<std::uint8_t>(bytes_[head]) == kType &&
           pointers_ + 2 * std::size_t{cells_} <= bytes_.size();
}

bool LeafPage::is_filled() const {
  std::size_t bytes = 0;
  for (std::uint32_t cell = 0; cell < cells_; ++cell) {
    std::size_t size = 0;
    if (!stored_row(cell, &size)) return false;
    bytes += size;
  }
  return fills_page(bytes_, head_of(number_), bytes);
}

std::optional<Row> LeafPage::row(std::uint32_t cell) const {
  return stored_row(kept_ ? kept_[cell] : cell);
}

void LeafPage::drop_bad_cells(std::vector<std::uint32_t>& kept, std::int64_t before,
                              std::int64_t most) {
  kept.clear();
  std::optional<std::int64_t> last;
  if (before != INT64_MIN) last = before;
  for (std::uint32_t cell = 0; cell < cells_; ++cell) {
    auto row = stored_row(cell);
    if (!row || (last && row->id <= *last) || row->id > most) continue;
    last = row->id;
    kept.push_back(cell);
  }
  kept_ = kept.data();
  cells_ = static_cast<std::uint32_t>(kept.size());
}

std::optional<Row> LeafPage::stored_row(std::uint32_t cell, std::size_t* cell_bytes) const {
  std::size_t begin = load_be16(bytes_.data() + pointers_ + 2 * std::size_t{cell});
  if (begin < pointers_) return std::nullopt;
  std::size_t at = begin;
  auto size = take_varint(bytes_, at);
  auto id = size ? take_varint(bytes_, at) : std::nullopt;
  if (!id) return std::nullopt;
  std::uint64_t local = local_bytes(*size, usable_);
  bool overflows = local < *size;
  if (local + (overflows ? 4 : 0) > bytes_.size() - at) return std::nullopt;
  Row row{static_cast<std::int64_t>(*id), bytes_.subspan(at, static_cast<std::size_t>(local)),
          *size, 0, number_};
  if (overflows) row.overflow = load_be32(bytes_.data() + at + local);
  if (cell_bytes) {
    std::size_t end = at + static_cast<std::size_t>(local) + (overflows ? 4 : 0);
    *cell_bytes = std::max(end - begin, kLeastCellBytes);
  }
  return row;
}

void TableCursor::take_window(std::uint32_t page, std::uint32_t most) {
  auto known = std::find_if(windows_.begin(), windows_.end(),
                            [&](const PageWindow& window) { return window.holds(page); });
  if (known != windows_.end()) {
    std::rotate(windows_.begin(), known, known + 1);
    return;
  }
  std::rotate(windows_.begin(), windows_.end() - 1, windows_.end());
  PageWindow& window = windows_[0];
  // A batch that still points into the old memory keeps it.
  if (!window.pages || window.pages.use_count() > 1) window.pages = std::make_shared<Buffer>();
  file_->read(page, most, *window.pages);
  window.first = page;
  window.count = static_cast<std::uint32_t>(window.pages->size() / file_->page_bytes());
  window.kept_for = 0;
  if (window.count == 0) throw file_->error(ErrorCode::truncated, page, "the page is missing");
}

void TableCursor::load(std::size_t leaf, bool is_next) {
  leaf_ = leaf;
  std::uint32_t page = leaves_.leaves[leaf].page;
  std::uint32_t most = 1;
  if (is_next) {
    auto within = static_cast<std::uint32_t>(kWindowBytes / file_->page_bytes());
    for (std::size_t i = leaf + 1; i < leaves_.leaves.size(); ++i) {
      std::uint32_t other = leaves_.leaves[i].page;
      if (other <= page || other - page >= within) break;
      most = other - page + 1;
    }
  }
  take_window(page, most);
  const PageWindow& window = windows_[0];
  std::size_t at = std::size_t{page - window.first} * file_->page_bytes();
  page_ = LeafPage(*file_, window.pages->view().subspan(at, file_->page_bytes()), page);
  if (!page_.ok()) throw file_->error(ErrorCode::corrupt, page, "not a page of the table");
  if (tree_->is_salvaged()) {
    page_.drop_bad_cells(kept_cells_, before_leaf(), leaves_.leaves[leaf].last);
  } else if (!is_dense() && !page_.is_filled()) {
    throw file_->error(ErrorCode::corrupt, page, "the page's rows do not fill it");
  }
  // SQLite keeps no empty leaves, except in a table without rows, whose root is one.
  bool is_whole_table = leaves_.leaves.size() == 1 && leaves_.last() == INT64_MAX;
  if (page_.cells() == 0 && !is_whole_table) {
    throw file_->error(ErrorCode::corrupt, page, "the page has no rows");
  }
  is_loaded_ = true;
  cell_ = 0;
}

/// Whether the leaf has a row for each id that it may have, so that none can be missing. The range
/// of the first leaf and of the last one is open.
bool TableCursor::is_dense() const {
  std::int64_t before = before_leaf();
  std::int64_t last = leaves_.leaves[leaf_].last;
  bool is_bounded = before != INT64_MIN && last != INT64_MAX;
  return is_bounded &&
         static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(before) == page_.cells();
}

std::int64_t TableCursor::before_leaf() const {
  return leaf_ > 0 ? leaves_.leaves[leaf_ - 1].last : leaves_.before;
}

Row TableCursor::row_at(std::uint32_t cell) const {
  auto row = page_.row(cell);
  const Leaves::Leaf& leaf = leaves_.leaves[leaf_];
  std::int64_t before = before_leaf();
  bool is_within = row && row->id <= leaf.last && (row->id > before || before == INT64_MIN);
  if (!is_within) throw file_->error(ErrorCode::corrupt, leaf.page, "the page's rows are damaged");
  return *row;
}

/// The place in leaves_ of the one where `id` is, or would be; their number: it is behind them.
std::size_t TableCursor::leaf_of(std::int64_t id) const {
  auto by_last = [](const Leaves::Leaf& leaf, std::int64_t i) { return leaf.last < i; };
  auto at = std::lower_bound(leaves_.leaves.begin(), leaves_.leaves.end(), id, by_last);
  return static_cast<std::size_t>(at - leaves_.leaves.begin());
}

/// Loads the leaf where `id` is, or would be.
bool TableCursor::enter(std::int64_t id) {
  bool is_here =
      has_leaves_ && id <= leaves_.last() && (id > leaves_.before || leaves_.before == INT64_MIN);
  if (!is_here) {
    leaves_ = tree_->leaves_at(id);
    has_leaves_ = true;
    is_loaded_ = false;
  }
  std::size_t leaf = leaf_of(id);
  if (leaf == leaves_.leaves.size()) return false;
  if (!is_loaded_ || leaf != leaf_) {
    load(leaf, is_loaded_ && leaf == leaf_ + 1);
  } else {
    take_window(leaves_.leaves[leaf].page, 1);
  }
  return true;
}

void TableCursor::seek(std::int64_t id) {
  is_at_start_ = false;
  if (!enter(id)) {
    is_loaded_ = false;
    leaf_ = leaves_.leaves.size();
    return;
  }
  std::uint32_t low = 0;
  std::uint32_t high = page_.cells();
  // Mostly it is the row behind the last one.
  if (cell_ < high && (cell_ == 0 || row_at(cell_ - 1).id < id) && row_at(cell_).id >= id) {
    last_id_ = id == INT64_MIN ? id : id - 1;
    return;
  }
  while (low < high) {
    std::uint32_t middle = low + (high - low) / 2;
    if (row_at(middle).id < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  cell_ = low;
  last_id_ = id == INT64_MIN ? id : id - 1;
}

bool TableCursor::seek_last(std::int64_t id) {
  is_at_start_ = false;
  last_id_ = INT64_MIN;
  if (!enter(id)) return false;
  while (true) {
    std::uint32_t low = 0;
    std::uint32_t high = page_.cells();
    while (low < high) {
      std::uint32_t middle = low + (high - low) / 2;
      if (row_at(middle).id <= id) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low > 0) return cell_ = low - 1, true;
    // All rows of the leaf are larger: it is the last one of the leaf before.
    std::int64_t before = leaf_ > 0 ? leaves_.leaves[leaf_ - 1].last : leaves_.before;
    if (before == INT64_MIN || !enter(before)) return false;
    id = before;
  }
}

bool TableCursor::next(Row& row) {
  if (is_at_start_) seek(INT64_MIN);
  while (true) {
    if (is_loaded_ && cell_ < page_.cells()) break;
    std::size_t leaf = is_loaded_ ? leaf_ + 1 : leaf_;
    if (leaf < leaves_.leaves.size()) {
      load(leaf, true);
      continue;
    }
    if (leaves_.last() == INT64_MAX) return false;
    std::int64_t last = leaves_.last();
    leaves_ = tree_->leaves_at(last + 1);
    bool is_behind = leaves_.before == last;
    if (!is_behind && (leaves_.before > last || !file_->has_changed())) {
      throw file_->error(ErrorCode::corrupt, leaves_.leaves.front().page,
                         "the page is out of order");
    }
    is_loaded_ = false;
    leaf_ =
        is_behind ? 0 : leaf_of(last + 1);  // a writer moves leaves from page to page above them
  }
  row = row_at(cell_++);
  if (row.id <= last_id_ && last_id_ != INT64_MIN) {
    throw file_->error(ErrorCode::corrupt, row.page, "the page's rows are out of order");
  }
  last_id_ = row.id;
  return true;
}

void read_payload(const PageFile& file, const Row& row, std::uint64_t offset,
                  std::span<std::byte> into, Buffer& scratch) {
  std::size_t done = 0;
  if (offset < row.local.size()) {
    ByteView here = row.local.subspan(static_cast<std::size_t>(offset));
    done = std::min(here.size(), into.size());
    std::memcpy(into.data(), here.data(), done);
  }
  std::uint64_t skip = offset > row.local.size() ? offset - row.local.size() : 0;
  std::size_t page_bytes = file.page_bytes();
  std::size_t room = file.usable_bytes() - 4;
  std::uint32_t page = row.overflow;
  while (done < into.size()) {
    std::uint64_t left = skip + (into.size() - done);
    auto pages = std::min<std::uint64_t>(left / room + 1, kChainBytes / page_bytes);
    file.read(page, static_cast<std::uint32_t>(pages), scratch);
    if (scratch.size() == 0) {
      throw file.error(ErrorCode::truncated, page, "the rest of a message is missing");
    }
    // The pages of a record mostly lie one behind the other.
    std::uint32_t next = page;
    for (std::size_t at = 0; at < scratch.size() && next == page && done < into.size();
         at += page_bytes) {
      next = load_be32(scratch.data() + at);
      std::size_t from = static_cast<std::size_t>(std::min<std::uint64_t>(skip, room));
      std::size_t count = std::min(room - from, into.size() - done);
      std::memcpy(into.data() + done, scratch.data() + at + 4 + from, count);
      done += count;
      skip -= from;
      ++page;
    }
    page = next;
  }
  if (row.overflow != 0 && offset + into.size() == row.size && page != 0) {
    throw file.error(ErrorCode::corrupt, page, "a message continues after its end");
  }
}

}  // namespace kitbag::sqlite3
