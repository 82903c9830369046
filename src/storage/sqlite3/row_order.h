#pragma once

#include <memory>
#include <vector>

#include "kitbag/time.h"
#include "storage/sqlite3/pages.h"
#include "storage/sqlite3/time_index.h"

namespace kitbag::sqlite3 {

/// Times can lie anywhere in 64 bits: `end` is not reached where there is none.
struct TimeRange {
  Time begin;
  Time end;

  bool holds(Time time) const { return time >= begin && is_before_end(time); }
  bool is_before_end(Time time) const { return time < end || end == Time::max(); }
};

/// In what order messages come: their ids, one after the other, with the times they are sorted by.
class RowOrder {
 public:
  virtual ~RowOrder() = default;
  /// False: the end.
  virtual bool next(TimedRow& row) = 0;
};

/// Those of `range` as the index by time has them, whose root is a page of `file`, which must
/// outlive it.
std::unique_ptr<RowOrder> index_order(const PageFile& file, std::uint32_t root,
                                      const TimeRange& range, bool is_reversed);
/// These, one after the other: for a bag that has no order by this time. 16 bytes a message.
std::unique_ptr<RowOrder> listed_order(std::vector<TimedRow> rows);

}  // namespace kitbag::sqlite3
