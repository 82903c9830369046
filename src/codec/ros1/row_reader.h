#pragma once

#include <memory>

#include "arrow/row_reader.h"
#include "arrow/target.h"
#include "kitbag/type.h"

namespace kitbag::ros1 {

/// Returns null if `target` wants what is not read by position. `target` must outlive the reader.
std::unique_ptr<arrow::RowReader> make_row_reader(const TypePtr& type, const arrow::Target& target);

}  // namespace kitbag::ros1
