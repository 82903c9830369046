#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/column.h"
#include "arrow/row_reader.h"
#include "arrow/target.h"
#include "kitbag/value.h"
#include "value/path.h"

namespace kitbag {

/// Reads one field of the messages of one channel. One thread.
class FieldDecoder {
 public:
  /// Throws Error: as decoder_of(), not_found if the type has no field at `path`, invalid for what
  /// is no path.
  FieldDecoder(const Channel& channel, std::string path, const Session& session,
               std::shared_ptr<ValueReader> values);
  FieldDecoder(const FieldDecoder&) = delete;
  FieldDecoder& operator=(const FieldDecoder&) = delete;

  /// Returns the field; a time or a duration in nanoseconds. Throws Error: as ValueReader::read()
  /// and Value::get().
  Value read(const Message& message);
  /// The same, but a time or a duration is the structure that it is in the type.
  Value read_whole(const Message& message);

 private:
  const Type* bind(const Type& type);
  void bind_column(const Type& leaf, const Codec& codec, const TypePtr& type);
  std::optional<Value::Content> content() const;

  const std::string path_;
  const std::vector<PathStep> steps_;  ///< refer to path_
  std::shared_ptr<ValueReader> values_;
  const Type* leaf_ = nullptr;
  arrow::Target target_;
  arrow::Target* bound_ = nullptr;  ///< the part of target_ for the field
  arrow::ColumnType column_type_;
  std::uint64_t replaced_bytes_ = 0;
  std::optional<arrow::Column> column_;
  std::unique_ptr<arrow::RowReader> reader_;  ///< null: messages are decoded as a whole
};

}  // namespace kitbag
