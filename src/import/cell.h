#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "arrow/ipc_field.h"
#include "kitbag/arrow.h"
#include "kitbag/bytes.h"

namespace kitbag {

/// An integer of up to 64 bits with or without a sign.
struct CellInteger {
  std::int64_t value = 0;
  bool is_large = false;  ///< `value` is that of an uint64 beyond INT64_MAX
};

/// A value of an Arrow array. Both must outlive it; that the array is as its type says has been
/// checked.
class Cell {
 public:
  /// The value `index` behind the array's own offset. Of a dictionary, the value that it refers to.
  Cell(const arrow::IpcField& type, const ArrowArray& array, std::int64_t index);

  const arrow::IpcField& type() const { return *type_; }
  bool is_null() const;

  bool is_boolean() const;
  bool is_integer() const;
  bool is_real() const;
  bool is_text() const;
  bool is_bytes() const;
  bool is_list() const;
  bool is_structure() const;
  /// A timestamp, a date, a time of day or a duration.
  bool is_temporal() const;
  /// A text that is JSON by what its column says.
  bool is_json() const;

  // Of what the functions above say, and not null:
  bool boolean() const;
  CellInteger integer() const;
  double real() const;
  std::string_view text() const { return as_text(bytes()); }
  ByteView bytes() const;
  /// Nanoseconds since 1970, or of a duration. Throws Error (invalid) if they do not fit.
  std::int64_t nanoseconds() const;
  std::int64_t list_size() const;
  Cell element(std::int64_t index) const;
  /// A field of a structure.
  Cell child(std::size_t index) const;
  /// The bytes of all elements of a list, if these are numbers of that size and none is null.
  std::optional<ByteView> packed_elements(std::int64_t width) const;

  /// "300", "the text \"x\"", "a list": for errors.
  std::string describe() const;

 private:
  struct Range {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  Range range() const;
  std::int64_t place() const { return array_->offset + index_; }

  const arrow::IpcField* type_;
  const ArrowArray* array_;
  std::int64_t index_;
};

/// "int32", "a list", "text": what a column has, for errors.
std::string column_type_name(const arrow::IpcField& type);

}  // namespace kitbag
