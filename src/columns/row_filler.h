#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arrow/column.h"
#include "columns/plan.h"
#include "kitbag/columns.h"

namespace kitbag {

/// What is known of a table and of the channels that its rows come from. One thread changes it.
class TableContext {
 public:
  TableContext(ColumnPlan plan, const ColumnsRequest& request, const Session& session);

  const ColumnPlan& plan() const { return plan_; }
  const ColumnsRequest& request() const { return request_; }
  const Session& session() const { return session_; }
  const std::shared_ptr<arrow::MemoryPool>& pool() const { return pool_; }
  /// The topics so far, in the order of their indexes in the column `topic`.
  const std::vector<std::string>& topics() const { return topics_; }

  std::int32_t index_of(const std::string& topic);
  /// What the plan says of a channel; one that came later is planned when it is first asked for.
  const ColumnPlan::Planned& planned(const Channel& channel);

 private:
  ColumnPlan plan_;
  ColumnsRequest request_;
  Session session_;
  std::shared_ptr<arrow::MemoryPool> pool_;
  std::map<std::uint32_t, ColumnPlan::Planned> later_;  ///< by slot
  std::vector<std::string> topics_;
};

/// Fills the columns of one batch after the other. One thread at a time.
class RowFiller {
 public:
  /// `context` must outlive this. `report` may be null, otherwise it must outlive this.
  RowFiller(TableContext& context, TranscodeReport* report);
  ~RowFiller();
  RowFiller(const RowFiller&) = delete;
  RowFiller& operator=(const RowFiller&) = delete;

  void report_to(TranscodeReport* report) { report_ = report; }

  /// Returns whether messages of the channel become rows. Uses the context if the channel is new;
  /// is_known() says so, and add() then leaves the context alone.
  bool takes(const Channel& channel);
  bool is_known(const Channel& channel) const {
    return channel.slot < lanes_.size() && lanes_[channel.slot];
  }

  /// Adds the rows of messages from number `at` on, and moves `at` behind them: up to the end, or
  /// until there are `batch_rows` rows. If it throws, `at` is behind the message at fault.
  void add(std::span<const Message> messages, std::size_t& at, std::uint64_t batch_rows);
  /// Updates bytes().
  void weigh() { bytes_ = table_.bytes(); }
  std::uint64_t rows() const { return rows_; }
  std::uint64_t bytes() const { return bytes_; }
  /// Returns whether the batch ends: it has that many rows, or it is large enough.
  bool is_full(std::uint64_t batch_rows) const {
    return rows_ >= batch_rows || bytes_ >= request_.batch_bytes;
  }

  void hand_over(ArrowArray* out);
  /// Removes all rows.
  void clear();

 private:
  struct Lane;

  arrow::Column& column(std::size_t index) { return table_.children()[index]; }
  void add_row(const Message& message);
  bool fill(Lane& lane, const Message& message);
  bool fill_by_decoder(Lane& lane, const Message& message);
  bool fill_without_fields(Lane& lane, const Message& message, const Error* error);
  void begin_row(Lane& lane, const Message& message);
  void take_back();
  Lane& lane_of(const Channel& channel);
  std::unique_ptr<Lane> make_lane(const Channel& channel);
  void bind_fields(Lane& lane, const ColumnPlan::Planned& planned, std::vector<bool>& has_field);

  TableContext& context_;
  const ColumnPlan& plan_;
  const ColumnsRequest& request_;
  TranscodeReport* report_;
  std::uint64_t replaced_bytes_ = 0;
  arrow::Column table_;
  std::vector<std::unique_ptr<Lane>> lanes_;  ///< by slot
  std::uint64_t rows_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace kitbag
