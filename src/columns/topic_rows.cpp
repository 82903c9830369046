#include "columns/topic_rows.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "arrow/copy.h"
#include "kitbag/error.h"

// The messages of one topic pass through a table of columns() of their own, so that fields, types,
// errors and reports are those of columns().
//
// Rows behind the clock are held until it reaches them; of those before it only the last one can
// still count. A row is a place in a block of rows that were decoded together, and keeps the whole
// block. So memory is counted by blocks, once each, and a block goes when the clock has passed its
// last row.
//
// Values are copied into the result and not referred to: a result of Arrow needs them one behind
// the other.

namespace kitbag {

namespace {

/// What a row takes in a map, about.
constexpr std::uint64_t kRowBytes = 80;

bool can_be_interpolated(const arrow::ColumnType& type) {
  bool is_number = type.number == arrow::Number::integer || type.number == arrow::Number::real ||
                   type.number == arrow::Number::unsigned_integer;
  return is_number && type.metadata.empty();  // enumerations have their names there
}

/// To a column of real numbers.
void add_number(arrow::Column& column, double value) {
  if (column.type().width == sizeof(float)) return column.add(static_cast<float>(value));
  column.add(value);
}

ColumnsRequest columns_request(const AlignedTopic& topic, bool has_fields,
                               const AlignRequest& request) {
  ColumnsRequest of_topic;
  of_topic.fields = topic.fields;
  of_topic.has_fields = has_fields;
  of_topic.time = request.time;
  of_topic.has_topic = false;
  of_topic.on_error = request.on_error;
  of_topic.report = request.report;
  of_topic.on_warning = request.on_warning;
  return of_topic;
}

ColumnPlan plan_of(const AlignedTopic& topic, const Channels& channels,
                   const ColumnsRequest& request, const Session& session) {
  try {
    return plan_columns(channels, request, session);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
    throw Error(error.code(), fmt::format("{}: {}", topic.topic, error.message()));
  }
}

}  // namespace

RowBlock::RowBlock(ArrowArray array, const arrow::ColumnType& type, std::uint64_t& held_bytes)
    : array_(array),
      held_bytes_(held_bytes),
      bytes_(arrow::bytes_of(type, array_) + static_cast<std::uint64_t>(rows()) * kRowBytes) {
  held_bytes_ += bytes_;
}

RowBlock::~RowBlock() {
  held_bytes_ -= bytes_;
  array_.release(&array_);
}

TopicRows::TopicRows(const AlignedTopic& topic, bool has_fields, const Channels& channels,
                     const AlignRequest& request, const Session& session, std::uint64_t& held_bytes)
    : topic_(topic), held_bytes_(held_bytes) {
  auto own = std::make_shared<Channels>(channels);
  for (ChannelPtr& channel : *own) {
    if (channel && channel->topic != topic.topic) channel = nullptr;
  }
  const ColumnsRequest of_topic = columns_request(topic, has_fields, request);
  plan_ = plan_of(topic, *own, of_topic, session);
  for (std::size_t i = plan_.first_field; i < plan_.table.children.size(); ++i) {
    arrow::ColumnType type = plan_.table.children[i];
    std::size_t path = i - plan_.first_field;
    type.name =
        topic.topic + '.' + (path < plan_.paths.size() ? plan_.paths[path].text() : "value");
    type.is_nullable = true;
    bool is_interpolated = topic.method == AlignMethod::linear && can_be_interpolated(type);
    if (is_interpolated && type.number != arrow::Number::real) {
      type = {type.name, "g", arrow::Layout::fixed, arrow::Number::real, sizeof(double)};
    }
    if (topic.method == AlignMethod::linear && !is_interpolated && request.on_warning) {
      request.on_warning(Error(
          ErrorCode::remark, fmt::format("{} is not a number; its values are those of the message "
                                         "before",
                                         type.name)));
    }
    is_interpolated_.push_back(is_interpolated);
    types_.push_back(std::move(type));
  }
  table_.emplace(own, plan_, of_topic, session);
}

std::uint64_t TopicRows::decode(std::int64_t complete, const ChannelsPtr& channels) {
  if (messages_.empty()) return 0;
  std::uint64_t left_out = 0;
  table_->read(messages_, channels, [&](const ArrowArray& rows) {
    left_out += take_rows(std::make_shared<RowBlock>(rows, plan_.table, held_bytes_), complete);
  });
  messages_.clear();
  return left_out;
}

std::uint64_t TopicRows::take_rows(const std::shared_ptr<const RowBlock>& block,
                                   std::int64_t complete) {
  std::uint64_t left_out = 0;
  const ArrowArray& times = block->column(0);
  for (std::int64_t i = 0; i < block->rows(); ++i) {
    auto time =
        arrow::is_null(times, i) ? std::nullopt : std::optional(arrow::integer_at(times, i));
    if (time && *time >= complete) {
      next_.emplace_hint(next_.end(), *time, Row{block, i});
    } else {
      ++left_out;
    }
  }
  return left_out;
}

std::optional<std::int64_t> TopicRows::next_time() const {
  return next_.empty() ? std::nullopt : std::optional(next_.begin()->first);
}

void TopicRows::advance() {
  previous_ = std::move(*next_.begin());
  next_.erase(next_.begin());
}

void TopicRows::advance_to(std::int64_t time) {
  auto end = next_.upper_bound(time);
  if (end == next_.begin()) return;
  previous_ = *std::prev(end);
  next_.erase(next_.begin(), end);
}

bool TopicRows::is_within_tolerance(std::int64_t from, std::int64_t to) const {
  return distance_ns(from, to) <= static_cast<std::uint64_t>(topic_.tolerance.count());
}

/// A later row has a time of `complete` or more. It matters only if it can be nearer than the row
/// that is known, or the second point of an interpolation, and within the tolerance.
bool TopicRows::is_decided(std::int64_t time, std::int64_t complete) const {
  if (topic_.method == AlignMethod::previous) return true;
  if (!next_.empty() && next_.begin()->first <= complete) return true;
  if (complete > time && !is_within_tolerance(time, complete)) return true;
  if (topic_.method == AlignMethod::linear) {
    return !previous_ || previous_->first == time || !is_within_tolerance(previous_->first, time);
  }
  return previous_ && complete > time &&
         distance_ns(time, complete) >= distance_ns(previous_->first, time);
}

void TopicRows::add_values(std::int64_t time, std::span<arrow::Column> columns) const {
  const Row* row = nullptr;
  bool has_previous = previous_ && is_within_tolerance(previous_->first, time);
  if (has_previous) row = &previous_->second;
  if (topic_.method == AlignMethod::nearest && !next_.empty()) {
    auto next = next_.begin();
    bool is_nearer =
        !has_previous || distance_ns(time, next->first) < distance_ns(previous_->first, time);
    if (is_nearer && is_within_tolerance(time, next->first)) row = &next->second;
  }
  const Row* end = nullptr;
  if (topic_.method == AlignMethod::linear && row && previous_->first != time) {
    bool has_next = !next_.empty() && is_within_tolerance(time, next_.begin()->first);
    if (has_next) end = &next_.begin()->second;
    return interpolate(time, *row, end, columns);
  }
  copy_values(row, columns);
}

void TopicRows::add_own_values(std::span<arrow::Column> columns) const {
  copy_values(&previous_->second, columns);
}

void TopicRows::copy_values(const Row* row, std::span<arrow::Column> columns) const {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!row || arrow::is_null(column(*row, i), row->index)) {
      columns[i].add_null();
    } else if (is_interpolated_[i]) {
      add_number(columns[i], number_at(*row, i));
    } else {
      arrow::copy_value(columns[i], column(*row, i), row->index);
    }
  }
}

void TopicRows::interpolate(std::int64_t time, const Row& begin, const Row* end,
                            std::span<arrow::Column> columns) const {
  double share = 0;
  if (end) {
    share = static_cast<double>(distance_ns(previous_->first, time)) /
            static_cast<double>(distance_ns(previous_->first, next_.begin()->first));
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    bool has_begin = !arrow::is_null(column(begin, i), begin.index);
    bool has_end = end && !arrow::is_null(column(*end, i), end->index);
    if (!is_interpolated_[i] && has_begin) {
      arrow::copy_value(columns[i], column(begin, i), begin.index);
    } else if (is_interpolated_[i] && has_begin && has_end) {
      double from = number_at(begin, i);
      add_number(columns[i], from + (number_at(*end, i) - from) * share);
    } else {
      columns[i].add_null();
    }
  }
}

double TopicRows::number_at(const Row& row, std::size_t field) const {
  return arrow::number_at(plan_.table.children[plan_.first_field + field], column(row, field),
                          row.index);
}

}  // namespace kitbag
