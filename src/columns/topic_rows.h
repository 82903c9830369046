#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "arrow/column.h"
#include "columns/given_table.h"
#include "columns/plan.h"
#include "kitbag/align.h"

namespace kitbag {

/// Rows that were decoded together, and how much memory they take.
class RowBlock {
 public:
  /// Takes `array`, and adds its size to `held_bytes` as long as this lives.
  RowBlock(ArrowArray array, const arrow::ColumnType& type, std::uint64_t& held_bytes);
  ~RowBlock();
  RowBlock(const RowBlock&) = delete;
  RowBlock& operator=(const RowBlock&) = delete;

  std::int64_t rows() const { return array_.length; }
  const ArrowArray& column(std::size_t index) const { return *array_.children[index]; }

 private:
  ArrowArray array_;
  std::uint64_t& held_bytes_;
  std::uint64_t bytes_;
};

/// The rows of one topic that align() holds: the last one before the clock, and all behind it.
class TopicRows {
 public:
  /// `session` and `request` are as for align(); `held_bytes` must outlive this. `has_fields`: not
  /// for its times alone. Throws as align() does.
  TopicRows(const AlignedTopic& topic, bool has_fields, const Channels& channels,
            const AlignRequest& request, const Session& session, std::uint64_t& held_bytes);
  TopicRows(const TopicRows&) = delete;
  TopicRows& operator=(const TopicRows&) = delete;

  const AlignedTopic& topic() const { return topic_; }
  /// The columns that add_values() fills.
  const std::vector<arrow::ColumnType>& types() const { return types_; }

  /// Takes a message that decode() is to read; its data must be valid until then.
  void add(const Message& message) { messages_.push_back(message); }
  /// Reads the messages that were added. Returns how many rows have no time, or one before
  /// `complete`; these are left out.
  std::uint64_t decode(std::int64_t complete, const ChannelsPtr& channels);

  /// The time of the first row behind the clock.
  std::optional<std::int64_t> next_time() const;
  /// Moves the clock forward: to the last row at or before `time`.
  void advance_to(std::int64_t time);
  /// Moves the clock to the next row, which there is.
  void advance();
  /// Whether no row that is still to come changes the values at `time`; they come at or after
  /// `complete`. advance_to(time) was called.
  bool is_decided(std::int64_t time, std::int64_t complete) const;
  /// Adds the values at `time` to columns of types(); advance_to(time) was called.
  void add_values(std::int64_t time, std::span<arrow::Column> columns) const;
  /// Adds the values of the row that advance() has moved to.
  void add_own_values(std::span<arrow::Column> columns) const;

 private:
  struct Row {
    std::shared_ptr<const RowBlock> block;
    std::int64_t index = 0;
  };
  using Rows = std::multimap<std::int64_t, Row>;

  const ArrowArray& column(const Row& row, std::size_t field) const {
    return row.block->column(plan_.first_field + field);
  }
  bool is_within_tolerance(std::int64_t from, std::int64_t to) const;
  void copy_values(const Row* row, std::span<arrow::Column> columns) const;
  /// `end` null: there is no row behind that counts.
  void interpolate(std::int64_t time, const Row& begin, const Row* end,
                   std::span<arrow::Column> columns) const;
  double number_at(const Row& row, std::size_t field) const;
  std::uint64_t take_rows(const std::shared_ptr<const RowBlock>& block, std::int64_t complete);

  AlignedTopic topic_;
  std::uint64_t& held_bytes_;
  ColumnPlan plan_;
  std::vector<arrow::ColumnType> types_;
  std::vector<bool> is_interpolated_;  ///< by column
  std::vector<Message> messages_;
  std::optional<GivenTable> table_;
  std::optional<std::pair<std::int64_t, Row>> previous_;
  Rows next_;
};

/// Returns `to` - `from`, which is not negative.
constexpr std::uint64_t distance_ns(std::int64_t from, std::int64_t to) {
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

}  // namespace kitbag
