#pragma once

#include <memory>

#include "arrow/row_reader.h"
#include "arrow/target.h"
#include "kitbag/type.h"

namespace kitbag::cdr {

/// Returns null if `target` wants what is not read by position in the most usual form of CDR.
/// `target` must outlive the reader.
std::unique_ptr<arrow::RowReader> make_row_reader(const TypePtr& type, const arrow::Target& target);

}  // namespace kitbag::cdr
