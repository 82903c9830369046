#pragma once

#include "arrow/column_type.h"

namespace kitbag {

/// Returns the type of a column that can hold the values of both: structures have the fields of
/// both, of two numbers the wider type counts, an array is a list if its lengths differ. If there
/// is none, the column is JSON. Name and metadata are those of `a`.
arrow::ColumnType unite(const arrow::ColumnType& a, const arrow::ColumnType& b);

/// Returns whether `column` can hold values of the type `value` as it is.
bool can_hold(const arrow::ColumnType& column, const arrow::ColumnType& value);

}  // namespace kitbag
