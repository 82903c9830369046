#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "arrow/copy.h"
#include "columns/given_table.h"
#include "columns/plan.h"

namespace kitbag {

/// The header stamps of messages, in their order.
class Stamps {
 public:
  Stamps(const ChannelsPtr& channels, const Session& session)
      : table_(channels, plan_columns(*channels, request(), session), request(), session) {}

  using Times = std::vector<std::optional<std::int64_t>>;
  /// Adds the stamp of each message to `times`; nothing for those that cannot be read.
  void read(std::span<const Message> messages, const ChannelsPtr& channels, Times& times) {
    Times found;
    table_.read(messages, channels, [&](ArrowArray rows) {
      const ArrowArray& stamps = *rows.children[0];
      for (std::int64_t i = 0; i < stamps.length; ++i) {
        bool is_null = arrow::is_null(stamps, i);
        found.push_back(is_null ? std::nullopt : std::optional(arrow::integer_at(stamps, i)));
      }
      rows.release(&rows);
    });
    if (found.size() == messages.size()) {
      times.insert(times.end(), found.begin(), found.end());
    } else if (messages.size() == 1) {
      times.emplace_back();
    } else {  // which are missing?
      std::size_t half = messages.size() / 2;
      read(messages.first(half), channels, times);
      read(messages.subspan(half), channels, times);
    }
  }

 private:
  static ColumnsRequest request() {
    ColumnsRequest request;
    request.has_fields = false;
    request.time = RowTime::header_stamp;
    request.has_topic = false;
    request.on_error = OnError::skip;
    return request;
  }

  GivenTable table_;
};

}  // namespace kitbag
