#pragma once

#include <functional>
#include <memory>
#include <span>

#include "columns/plan.h"
#include "kitbag/columns.h"

namespace kitbag {

/// A table of columns() whose messages are given bit by bit.
class GivenTable {
 public:
  /// `plan` is that of `channels`; `request.batch_rows` does not count.
  GivenTable(ChannelsPtr channels, ColumnPlan plan, ColumnsRequest request, const Session& session);

  /// Reads `messages`, and calls `take` with their rows, which it has to release. `channels` are
  /// all that are known by now.
  void read(std::span<const Message> messages, const ChannelsPtr& channels,
            const std::function<void(const ArrowArray&)>& take);

 private:
  class Given;
  Given* given_;
  std::unique_ptr<Columns> table_;
};

}  // namespace kitbag
