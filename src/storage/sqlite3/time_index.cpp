#include "storage/sqlite3/time_index.h"

#include <algorithm>

#include "storage/sqlite3/pages/big_endian.h"
#include "storage/sqlite3/pages/cell_area.h"
#include "storage/sqlite3/pages/record.h"

// An index is a B-tree and not a B+tree (fileformat2, section 1.6): the pages above the leaves have
// entries, too, which are not repeated below. An entry is the record (timestamp, row id).
//
//     root                  e30            e60
//                    child 0      child 1       child 2
//     leaves         e1 .. e29    e31 .. e59    e61 .. e90
//
// The walk is a stack with one level a page, from the root to a leaf. When a leaf is used up, the
// next entry is that of the level above, and after it the walk goes down into the child behind it.
// Backwards it is the same with the child before it. Each level keeps its page parsed, so the cost
// is one page for each few hundred messages.
//
// Entries must ascend over the whole walk, not only within a page. This finds pages that stand in a
// wrong place, and ends a walk in a circle. They must fill their page, so that none is left out.

namespace kitbag::sqlite3 {

namespace {

constexpr std::uint8_t kIndexLeaf = 10;
constexpr std::size_t kMostIndexLevels = 20;

/// The entry at `at`, which is its size and a record of two integers. `at` moves behind it.
std::optional<TimedRow> parse_entry(ByteView bytes, std::size_t& at) {
  auto size = take_varint(bytes, at);
  if (!size || *size > bytes.size() - at || *size < 3) return std::nullopt;
  ByteView record = bytes.subspan(at, static_cast<std::size_t>(*size));
  if (record[0] != std::byte{3}) return std::nullopt;
  Column time = column_of(static_cast<std::uint8_t>(record[1]));
  Column id = column_of(static_cast<std::uint8_t>(record[2]));
  bool are_integers = time.kind == Column::Kind::integer && id.kind == Column::Kind::integer;
  if (!are_integers) return std::nullopt;
  if (3 + time.size + id.size != record.size()) return std::nullopt;
  at += record.size();
  auto number = [&](const Column& column, std::size_t offset) {
    return column.size == 0 ? column.integer : load_signed(record.subspan(offset, column.size));
  };
  return TimedRow{number(time, 3), number(id, 3 + time.size)};
}

}  // namespace

TimeIndex::Level TimeIndex::read_level(std::uint32_t number) const {
  Buffer page;
  file_->read(number, 1, page);
  if (page.size() == 0) throw file_->error(ErrorCode::truncated, number, "the page is missing");
  if (file_->has_changed()) {
    throw file_->error(ErrorCode::corrupt, number, "the time index was changed while it was read");
  }
  auto corrupt = [&] {
    return file_->error(ErrorCode::corrupt, number, "not a page of the time index");
  };
  ByteView bytes = page.view().first(file_->usable_bytes());
  auto type = static_cast<std::uint8_t>(bytes[0]);
  if (type != kIndexInterior && type != kIndexLeaf) throw corrupt();
  std::size_t pointers = type == kIndexLeaf ? 8 : 12;
  std::size_t cells = load_be16(bytes.data() + 3);
  if (pointers + 2 * cells > bytes.size()) throw corrupt();
  Level level{number, {}, {}, 0};
  level.entries.reserve(cells);
  std::size_t cell_bytes = 0;
  for (std::size_t i = 0; i < cells; ++i) {
    std::size_t begin = load_be16(bytes.data() + pointers + 2 * i);
    if (begin + 4 > bytes.size()) throw corrupt();
    std::size_t at = begin;
    if (type == kIndexInterior) {
      level.children.push_back(load_be32(bytes.data() + at));
      at += 4;
    }
    auto entry = parse_entry(bytes, at);
    if (!entry) throw corrupt();
    if (!level.entries.empty() && *entry <= level.entries.back()) throw corrupt();
    level.entries.push_back(*entry);
    cell_bytes += std::max(at - begin, kLeastCellBytes);
  }
  if (!fills_page(bytes, 0, cell_bytes)) throw corrupt();
  if (type == kIndexInterior) level.children.push_back(load_be32(bytes.data() + 8));
  if (cells == 0 && number != root_) throw corrupt();
  level.next = is_reversed_ ? cells : 0;
  return level;
}

void TimeIndex::push(std::uint32_t page) {
  if (levels_.size() == kMostIndexLevels) {
    throw file_->error(ErrorCode::corrupt, page, "the tree of the time index is too deep");
  }
  levels_.push_back(read_level(page));
}

void TimeIndex::descend() {
  while (!levels_.back().children.empty()) {
    const Level& level = levels_.back();
    push(level.children[level.next]);
  }
}

void TimeIndex::seek_start() {
  last_.reset();
  levels_.clear();
  push(root_);
  descend();
}

void TimeIndex::seek(const TimedRow& bound) {
  last_.reset();
  levels_.clear();
  push(root_);
  while (true) {
    Level& level = levels_.back();
    auto at = std::lower_bound(level.entries.begin(), level.entries.end(), bound);
    level.next = static_cast<std::size_t>(at - level.entries.begin());
    if (level.children.empty()) return;
    push(level.children[level.next]);
  }
}

bool TimeIndex::next(TimedRow& entry) {
  // A level above the last stands at the entry beside the child that is being gone through.
  auto is_done = [this](const Level& level) {
    return is_reversed_ ? level.next == 0 : level.next == level.entries.size();
  };
  while (!levels_.empty() && is_done(levels_.back())) levels_.pop_back();
  if (levels_.empty()) return false;
  Level& level = levels_.back();
  entry = level.entries[is_reversed_ ? --level.next : level.next++];
  if (last_ && (is_reversed_ ? entry >= *last_ : entry <= *last_)) {
    throw file_->error(ErrorCode::corrupt, level.page, "the time index is out of order");
  }
  last_ = entry;
  descend();
  return true;
}

std::uint64_t count_entries(const PageFile& file, std::uint32_t root, std::int64_t last_id,
                            const Wait& wait) {
  std::uint64_t entries = 0;
  TimeIndex index(file, root, false);
  index.seek_start();
  for (TimedRow entry; index.next(entry);) {
    throw_if_stopped(wait);
    if (entry.id <= last_id) ++entries;
  }
  return entries;
}

}  // namespace kitbag::sqlite3
