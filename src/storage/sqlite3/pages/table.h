#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "storage/sqlite3/pages/pages.h"
#include "storage/sqlite3/pages/record.h"

namespace kitbag::sqlite3 {

/// Some pages in memory, one behind the other.
struct PageWindow {
  std::shared_ptr<Buffer> pages;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint64_t kept_for = 0;  ///< the last batch that keeps it

  bool holds(std::uint32_t page) const { return page >= first && page - first < count; }
};

/// A row of a table as its page has it.
struct Row {
  std::int64_t id = 0;
  ByteView local;              ///< the beginning of the record
  std::uint64_t size = 0;      ///< of the record
  std::uint32_t overflow = 0;  ///< page where the record goes on; 0: it is whole
  std::uint32_t page = 0;      ///< that it is in
};

/// A page whose type is that of a leaf of a table, taken apart.
class LeafPage {
 public:
  static constexpr std::uint8_t kType = 13;

  /// `bytes` of page `number`. Not ok(): it is no leaf of a table.
  LeafPage() = default;
  LeafPage(const PageFile& file, ByteView bytes, std::uint32_t number);

  bool ok() const { return is_ok_; }
  std::uint32_t cells() const { return cells_; }
  /// Nothing for a cell that makes no sense.
  std::optional<Row> row(std::uint32_t cell) const;
  /// Whether cells and free bytes make up the page. If not, its head is damaged, or a cell.
  bool is_filled() const;
  /// Leaves out the cells that make no sense, or do not ascend.
  void drop_bad_cells(std::vector<std::uint32_t>& kept, std::int64_t before = INT64_MIN,
                      std::int64_t most = INT64_MAX);

 private:
  std::optional<Row> stored_row(std::uint32_t cell, std::size_t* cell_bytes = nullptr) const;

  ByteView bytes_;
  std::uint32_t number_ = 0;
  std::uint32_t usable_ = 0;
  std::size_t pointers_ = 0;
  std::uint32_t cells_ = 0;
  const std::uint32_t* kept_ = nullptr;  ///< cells that count; null: all
  bool is_ok_ = false;
};

/// Leaves of a table, the ids of their rows ascending.
struct Leaves {
  struct Leaf {
    std::uint32_t page;
    std::int64_t last;  ///< no row in it has a larger id
  };
  std::vector<Leaf> leaves;
  std::int64_t before = INT64_MIN;  ///< all ids are larger, unless it is INT64_MIN

  std::int64_t last() const { return leaves.empty() ? INT64_MAX : leaves.back().last; }
};

/// The tree of a table's pages.
class TableTree {
 public:
  virtual ~TableTree() = default;
  /// Those around the row `id`, or behind it where there is none of that id. Throws Error
  /// (corrupt).
  virtual Leaves leaves_at(std::int64_t id) const = 0;
  /// True: rows that make no sense are passed over.
  virtual bool is_salvaged() const { return false; }
};

/// As the pages above the leaves describe it. Throws Error (corrupt) if they do not lead to the
/// leaves.
std::unique_ptr<TableTree> open_tree(std::shared_ptr<const PageFile> file, std::uint32_t root);

/// Goes through the rows of a table. One thread at a time; throws Error (corrupt) at what makes no
/// sense.
class TableCursor {
 public:
  TableCursor(std::shared_ptr<const PageFile> file, std::shared_ptr<const TableTree> tree)
      : file_(std::move(file)), tree_(std::move(tree)) {}

  /// To the first row whose id is `id` or larger.
  void seek(std::int64_t id);
  /// To the last row whose id is `id` or smaller; false: there is none.
  bool seek_last(std::int64_t id);
  /// The row, and on to the next. Valid until the window goes. False: the end.
  bool next(Row& row);
  /// The window that the last row is in.
  PageWindow& window() { return windows_[0]; }

 private:
  std::size_t leaf_of(std::int64_t id) const;
  bool enter(std::int64_t id);
  void load(std::size_t leaf, bool is_next);
  void take_window(std::uint32_t page, std::uint32_t most);
  /// The last id before the leaf that is loaded.
  std::int64_t before_leaf() const;
  bool is_dense() const;
  Row row_at(std::uint32_t cell) const;

  std::shared_ptr<const PageFile> file_;
  std::shared_ptr<const TableTree> tree_;
  Leaves leaves_;
  bool has_leaves_ = false;
  std::size_t leaf_ = 0;
  bool is_loaded_ = false;  ///< page_ is leaves_[leaf_]
  LeafPage page_;
  std::vector<std::uint32_t> kept_cells_;  ///< of page_, where it is salvaged
  std::uint32_t cell_ = 0;
  std::int64_t last_id_ = INT64_MIN;
  bool is_at_start_ = true;              ///< seek() has not been called
  std::array<PageWindow, 4> windows_{};  ///< the last used first
};

/// Reads the record of `row` from `offset` on, `size` bytes, to `into`; what overflows its page
/// too. Throws Error (corrupt, truncated).
void read_payload(const PageFile& file, const Row& row, std::uint64_t offset,
                  std::span<std::byte> into, Buffer& scratch);

}  // namespace kitbag::sqlite3
