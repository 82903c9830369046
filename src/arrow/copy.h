#pragma once

#include <cstddef>
#include <cstdint>

#include "arrow/column.h"

namespace kitbag::arrow {

// Values of arrays that Column::move_to() has made.

/// Returns whether value `index` is null.
bool is_null(const ArrowArray& array, std::int64_t index);

/// Adds value `index` of `from` to `to`. Both have the same type, which has no dictionary. Throws
/// Error (limit) as Column does.
void copy_value(Column& to, const ArrowArray& from, std::int64_t index);

/// Returns value `index` of an array of times, which is not null.
std::int64_t integer_at(const ArrowArray& array, std::int64_t index);

/// Returns value `index` of an array of numbers, which is not null.
double number_at(const ColumnType& type, const ArrowArray& array, std::int64_t index);

/// Returns about how much memory `array` takes, that of its children included.
std::size_t bytes_of(const ColumnType& type, const ArrowArray& array);

}  // namespace kitbag::arrow
