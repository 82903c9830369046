#include <algorithm>

#include "storage/sqlite3/pages/big_endian.h"
#include "storage/sqlite3/pages/cell_area.h"
#include "storage/sqlite3/pages/table.h"

// A table is a B+tree of pages (fileformat2, section 1.6). The rows are in the leaves, in order of
// their ids; the pages above have only ids and page numbers:
//
//     05 | .. | cells u16 | .. | last child u32 | pointers u16 ... | free | cells: child u32, id
//     0D | .. | cells u16 | ..                  | pointers u16 ... | free | cells: size, id, record
//
// A parent gives each child a range of ids. leaves_at() carries this range down, and every page
// must keep it, so a page that belongs elsewhere is noticed. The range also bounds the walk: ids
// must ascend, so damaged page numbers cannot lead it in a circle.

namespace kitbag::sqlite3 {

namespace {

/// Deeper than any: with two children a page that is a tree of a million pages.
constexpr int kMostTableLevels = 20;

/// A page above leaves.
struct InteriorPage {
  struct Child {
    std::uint32_t page;
    std::int64_t last;
  };
  std::vector<Child> children;  ///< the last one's `last` is that of the page
};

class Tree final : public TableTree {
 public:
  Tree(std::shared_ptr<const PageFile> file, std::uint32_t root)
      : file_(std::move(file)), root_(root) {
    std::uint32_t page = root;
    Buffer bytes;
    for (levels_ = 0; read_type(page, bytes) == kTableInterior; ++levels_) {
      if (levels_ == kMostTableLevels) throw too_deep(page);
      page = read_interior(page, INT64_MIN, INT64_MAX, bytes).children.front().page;
    }
    if (read_type(page, bytes) != LeafPage::kType) {
      throw file_->error(ErrorCode::corrupt, page, "not a table page");
    }
  }

  Leaves leaves_at(std::int64_t id) const override {
    Leaves leaves;
    std::uint32_t page = root_;
    std::int64_t last = INT64_MAX;
    Buffer bytes;
    // A writer makes the tree deeper, and keeps the number of its root.
    bool has_changed = file_->has_changed();
    auto is_leaf = [&](std::uint32_t number, int level) {
      return has_changed ? read_type(number, bytes) == LeafPage::kType : level == levels_;
    };
    if (is_leaf(root_, 0)) {
      leaves.leaves.push_back({root_, last});
      return leaves;
    }
    for (int level = 1;; ++level) {
      if (level > kMostTableLevels) throw too_deep(page);
      InteriorPage interior = read_interior(page, leaves.before, last, bytes);
      if (is_leaf(interior.children.front().page, level)) {
        for (const auto& child : interior.children) {
          leaves.leaves.push_back({child.page, child.last});
        }
        break;
      }
      auto by_last = [](const InteriorPage::Child& child, std::int64_t i) {
        return child.last < i;
      };
      auto at = std::lower_bound(interior.children.begin(), interior.children.end(), id, by_last);
      if (at == interior.children.end()) --at;
      if (at != interior.children.begin()) leaves.before = std::prev(at)->last;
      page = at->page;
      last = at->last;
    }
    return leaves;
  }

 private:
  Error too_deep(std::uint32_t page) const {
    return file_->error(ErrorCode::corrupt, page, "the tree of pages is too deep");
  }

  std::uint8_t read_type(std::uint32_t page, Buffer& into) const {
    file_->read(page, 1, into);
    if (into.size() == 0) throw file_->error(ErrorCode::truncated, page, "the page is missing");
    return static_cast<std::uint8_t>(into.data()[head_of(page)]);
  }

  InteriorPage read_interior(std::uint32_t number, std::int64_t before, std::int64_t last,
                             Buffer& scratch) const {
    if (read_type(number, scratch) != kTableInterior) {
      throw file_->error(ErrorCode::corrupt, number, "not an interior table page");
    }
    ByteView bytes = scratch.view().first(file_->usable_bytes());
    std::size_t head = head_of(number);
    std::uint32_t cells = load_be16(bytes.data() + head + 3);
    auto corrupt = [&] {
      return file_->error(ErrorCode::corrupt, number, "the page's cells are damaged");
    };
    if (head + 12 + 2 * std::size_t{cells} > bytes.size()) throw corrupt();
    InteriorPage page;
    page.children.reserve(cells + 1);
    std::size_t cell_bytes = 0;
    for (std::uint32_t i = 0; i < cells; ++i) {
      std::size_t at = load_be16(bytes.data() + head + 12 + 2 * i);
      if (at + 4 > bytes.size()) throw corrupt();
      std::uint32_t child = load_be32(bytes.data() + at);
      at += 4;
      auto key = take_varint(bytes, at);
      auto id = static_cast<std::int64_t>(key.value_or(0));
      if (!key || id > last || id < before || (i > 0 && id <= page.children.back().last)) {
        throw corrupt();
      }
      page.children.push_back({child, id});
      cell_bytes += 4 + varint_bytes(*key);
    }
    if (!fills_page(bytes, head, cell_bytes)) throw corrupt();
    page.children.push_back({load_be32(bytes.data() + head + 8), last});
    return page;
  }

  std::shared_ptr<const PageFile> file_;
  std::uint32_t root_;
  int levels_ = 0;
};

}  // namespace

std::unique_ptr<TableTree> open_tree(std::shared_ptr<const PageFile> file, std::uint32_t root) {
  return std::make_unique<Tree>(std::move(file), root);
}

}  // namespace kitbag::sqlite3
