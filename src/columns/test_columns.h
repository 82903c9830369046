#pragma once

#include <cmath>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "arrow/column.h"
#include "arrow/target.h"
#include "columns/field_path.h"
#include "tests/support/arrow_values.h"

/// Columns for some fields of a type, and what they hold.
namespace kitbag::test {

/// How many bytes each value takes; 0: not the same for all, or it has none itself.
inline std::size_t value_bytes(const std::string& format) {
  if (format == "c" || format == "C") return 1;
  if (format == "s" || format == "S") return 2;
  if (format == "i" || format == "I" || format == "f") return 4;
  if (format == "l" || format == "L" || format == "g") return 8;
  if (format == "tsn:" || format == "tDn") return 8;
  return format.starts_with("w:") ? std::stoul(format.substr(2)) : 0;
}

/// All buffers of an array, as far as they count. One NaN is like another.
inline std::string contents_of(const ArrowSchema& schema, const ArrowArray& array) {
  const std::string format = schema.format;
  const std::size_t bytes = value_bytes(format);
  std::string all = std::to_string(array.length) + '[';
  for (std::int64_t i = 0; i < array.length; ++i) {
    all += is_null(array, i) ? '-' : '+';
    if (format == "u" || format == "z") all += bytes_at(array, i);
    if (format == "+l") all += std::to_string(element<std::int32_t>(array, 1, i + 1));
    if (format == "b") all += bit_at(array.buffers[1], i) ? '1' : '0';
    bool is_nan = (format == "f" && std::isnan(element<float>(array, 1, i))) ||
                  (format == "g" && std::isnan(element<double>(array, 1, i)));
    if (is_nan) {
      all += "nan";
    } else if (bytes > 0) {
      const char* values = static_cast<const char*>(array.buffers[1]);
      all.append(values + static_cast<std::size_t>(i) * bytes, bytes);
    }
  }
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    all += contents_of(*schema.children[i], *array.children[i]);
  }
  return all + ']';
}

/// Columns for some fields of a type.
class Selected {
 public:
  Selected(const Type& type, const std::vector<std::string>& paths)
      : pool_(std::make_shared<arrow::MemoryPool>(1 << 20)) {
    for (const std::string& path : paths) fields_.emplace_back(path);
    for (const FieldPath& field : fields_) types_.push_back(*field.column_type(type));
    for (const arrow::ColumnType& each : types_)
      columns_.emplace_back(each, pool_, replaced_bytes_);
    for (std::size_t i = 0; i < fields_.size(); ++i) fields_[i].bind(type, target_, columns_[i]);
  }

  const arrow::Target& target() const { return target_; }

  /// Removes all but the first rows.
  void truncate(std::size_t rows) {
    for (arrow::Column& column : columns_) column.truncate(rows);
  }

  /// What each column holds.
  std::vector<std::string> rows() {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      Released<ArrowSchema> schema;
      Released<ArrowArray> array;
      export_schema(types_[i], &schema);
      columns_[i].move_to(&array);
      all.push_back(contents_of(*schema, *array));
    }
    return all;
  }

 private:
  std::shared_ptr<arrow::MemoryPool> pool_;
  std::uint64_t replaced_bytes_ = 0;
  std::deque<FieldPath> fields_;
  std::deque<arrow::ColumnType> types_;
  std::deque<arrow::Column> columns_;
  arrow::Target target_;
};

}  // namespace kitbag::test
