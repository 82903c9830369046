#pragma once

#include <memory>
#include <vector>

#include "kitbag/time.h"
#include "storage/sqlite3/pages/pages.h"
#include "storage/sqlite3/time_index.h"

namespace kitbag::sqlite3 {

/// Times may use all 64 bits: `end` is excluded, but Time::max() means that there is no end.
struct TimeRange {
  Time begin;
  Time end;

  bool holds(Time time) const { return time >= begin && is_before_end(time); }
  bool is_before_end(Time time) const { return time < end || end == Time::max(); }
};

/// The order in which messages come: their ids, one after the other, with the times they are sorted
/// by.
class RowOrder {
 public:
  virtual ~RowOrder() = default;
  /// False: the end.
  virtual bool next(TimedRow& row) = 0;
};

/// The rows in `range` whose ids are not larger than `last_id`, in the order of the index by time.
/// `root` is the index's page in `file`, which must outlive the result.
std::unique_ptr<RowOrder> index_order(const PageFile& file, std::uint32_t root,
                                      const TimeRange& range, std::int64_t last_id,
                                      bool is_reversed);
/// The rows as they are listed: for a bag that has no index by this time. 16 bytes per message.
std::unique_ptr<RowOrder> listed_order(std::vector<TimedRow> rows);

}  // namespace kitbag::sqlite3
