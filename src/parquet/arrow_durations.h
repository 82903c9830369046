#pragma once

#include <string_view>

#include "arrow/column_type.h"

namespace kitbag::parquet {

/// Takes from the Arrow schema in the metadata of a file ("ARROW:schema", in base64) which of its
/// columns are durations, and in which unit: Parquet has no such type. A schema that is damaged or
/// of another table says nothing.
void take_arrow_durations(std::string_view base64, arrow::ColumnType& table);

}  // namespace kitbag::parquet
