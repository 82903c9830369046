#include "columns/given_table.h"

#include <limits>
#include <utility>

#include "columns/column_reader.h"

// Messages are lent for the time of a call, and the table must have forgotten them at its end. The
// table asks its source until there is nothing at hand: when it asks for messages and gets none,
// all before have become rows. A deadline in the past makes it return then and not wait. Other
// threads could hold messages longer than that, so there are none.

namespace kitbag {

/// Gives what it was given, and then says that nothing more is at hand.
class GivenTable::Given final : public Source {
 public:
  explicit Given(ChannelsPtr channels) : channels_(std::move(channels)) {}

  ChannelsPtr channels() const override { return channels_; }
  bool read(Batch& batch, const Wait&) override {
    batch.channels = channels_;
    is_drained_ = messages_.empty();
    for (const Message& message : messages_) batch.add(message);
    messages_ = {};
    return true;
  }

  void give(std::span<const Message> messages, const ChannelsPtr& channels) {
    messages_ = messages;
    channels_ = channels;
    is_drained_ = false;
  }
  /// Whether its reader has seen that nothing more is at hand.
  bool is_drained() const { return is_drained_; }

 private:
  ChannelsPtr channels_;
  std::span<const Message> messages_;
  bool is_drained_ = true;
};

GivenTable::GivenTable(ChannelsPtr channels, ColumnPlan plan, ColumnsRequest request,
                       const Session& session) {
  // A batch ends with what was given, or where it becomes too large in bytes.
  request.batch_rows = std::numeric_limits<std::uint64_t>::max();
  request.first_batch_rows = 0;
  request.threads = 1;
  auto given = std::make_unique<Given>(std::move(channels));
  given_ = given.get();
  table_ = make_column_reader(std::move(given), std::move(plan), request, session);
}

void GivenTable::read(std::span<const Message> messages, const ChannelsPtr& channels,
                      const std::function<void(const ArrowArray&)>& take) {
  given_->give(messages, channels);
  while (!given_->is_drained()) {
    ArrowArray rows;
    table_->next(&rows, {.stop = {}, .until = SteadyTime::min()});
    take(rows);
  }
}

}  // namespace kitbag
