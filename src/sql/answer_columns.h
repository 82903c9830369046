#pragma once

#include <memory>

#include "kitbag/columns.h"
#include "sql/answer.h"

namespace kitbag::sql {

/// Returns the rows of an answer, which must outlive it, as columns of int64, float64, utf8 or
/// binary. In SQLite each value has a type of its own, so the type of a column is that of its
/// values in the first batch; without any, the declared one, or null. Reads the first batch. Throws
/// Error (unsupported), here and by Columns::next(), for a column whose values cannot all be stored
/// exactly in one type, and what the answer throws.
std::unique_ptr<Columns> columns_of(Answer& answer);

}  // namespace kitbag::sql
