#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrow/column_type.h"
#include "arrow/numbers.h"
#include "arrow/owned.h"
#include "columns/given_table.h"
#include "kitbag/columns.h"
#include "kitbag/message.h"
#include "kitbag/session.h"

namespace kitbag {

/// The fields of one topic.
class TopicReading {
 public:
  static constexpr std::size_t kNoColumn = SIZE_MAX;

  /// `request` has the fields. Throws Error as columns() does, and invalid for a field that is no
  /// number in all channels together.
  TopicReading(const std::string& topic, const ChannelsPtr& channels, ColumnsRequest request,
               const Session& session);

  /// kNoColumn: there is no such field.
  std::size_t column_of(const std::string& field) const {
    auto found = std::find(fields_.begin(), fields_.end(), field);
    return found == fields_.end() ? kNoColumn : static_cast<std::size_t>(found - fields_.begin());
  }
  const arrow::ColumnType& type(std::size_t column) const { return types_[column]; }

  /// Takes a message that decode() is to read; its data must be valid until then.
  void add(const Message& message) { messages_.push_back(message); }

  /// Calls `take_rows` with the rows of the messages that were added, a batch at a time.
  template <class TakeRows>
  void decode(const ChannelsPtr& channels, TakeRows take_rows) {
    if (messages_.empty()) return;
    table_->read(messages_, channels, [&](const ArrowArray& given) {
      arrow::Owned<ArrowArray> rows;
      *rows.get() = given;
      if (!rows.is_empty()) take_rows(*rows);
    });
    messages_.clear();
  }

  /// The values of a column; `rows` must outlive them.
  arrow::Numbers numbers(std::size_t column, const ArrowArray& rows) const {
    return {types_[column].format, *rows.children[first_field_ + column]};
  }

 private:
  std::vector<std::string> fields_;
  std::vector<arrow::ColumnType> types_;
  std::size_t first_field_ = 0;
  std::optional<GivenTable> table_;
  std::vector<Message> messages_;
};

/// The times of rows, which a row may lack.
class RowTimes {
 public:
  explicit RowTimes(const ArrowArray& column) : column_(column) {}

  std::optional<std::int64_t> at(std::int64_t row) const {
    std::int64_t index = column_.offset + row;
    const auto* valid = static_cast<const unsigned char*>(column_.buffers[0]);
    if (valid && ((unsigned{valid[index / 8]} >> (index % 8)) & 1U) == 0) return std::nullopt;
    return static_cast<const std::int64_t*>(column_.buffers[1])[index];
  }

 private:
  const ArrowArray& column_;
};

/// The names of values: of a boolean, and of an enumeration; else empty.
std::vector<std::pair<std::int64_t, std::string>> names_of(const arrow::ColumnType& type);

}  // namespace kitbag
