#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kitbag/time.h"
#include "storage/sqlite3/pages/pages.h"

namespace kitbag::sqlite3 {

/// Where a message is, and when: an entry of the index `timestamp_idx`.
struct TimedRow {
  std::int64_t time_ns = 0;
  std::int64_t id = 0;

  auto operator<=>(const TimedRow&) const = default;
};

/// Goes through the index of messages by time, ties by id. One thread at a time; throws Error
/// (corrupt, truncated) at what makes no sense, and where the database has changed since it was
/// opened: entries move from page to page then.
class TimeIndex {
 public:
  TimeIndex(const PageFile& file, std::uint32_t root, bool is_reversed)
      : file_(&file), root_(root), is_reversed_(is_reversed) {}

  /// Before the first entry that is not before `bound`; reversed: the first that is before it.
  void seek(const TimedRow& bound);
  /// From the first entry, in its direction.
  void seek_start();
  /// The next entry. False: the end.
  bool next(TimedRow& entry);

 private:
  struct Level {
    std::uint32_t page;
    std::vector<TimedRow> entries;
    std::vector<std::uint32_t> children;  ///< empty in a leaf; else one more than entries
    std::size_t next;                     ///< entry that is to come; reversed: the one behind it
  };

  Level read_level(std::uint32_t page) const;
  void push(std::uint32_t page);
  /// From the top of the stack down to a leaf, at its near end.
  void descend();

  const PageFile* file_;
  std::uint32_t root_;
  bool is_reversed_;
  std::vector<Level> levels_;  ///< from the root down
  std::optional<TimedRow> last_;
};

/// The number of entries whose id is `last_id` or smaller. Throws like TimeIndex.
std::uint64_t count_entries(const PageFile& file, std::uint32_t root, std::int64_t last_id,
                            const Wait& wait);

}  // namespace kitbag::sqlite3
