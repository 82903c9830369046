#pragma once

#include <memory>

#include "arrow/row_reader.h"
#include "arrow/target.h"
#include "kitbag/type.h"

namespace kitbag::json {

/// Returns null if `target` wants what takes the decoder. `target` must outlive the reader.
std::unique_ptr<arrow::RowReader> make_row_reader(const TypePtr& type, const arrow::Target& target);

}  // namespace kitbag::json
