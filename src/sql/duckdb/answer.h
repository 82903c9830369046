#pragma once

#include <memory>

#include "sql/answer.h"
#include "sql/duckdb/library.h"

namespace kitbag::sql {

/// Returns the answer that `result` holds, which it destroys. Its next() throws Error (unsupported)
/// for columns of types that kitbag does not print; its columns() have all types.
std::unique_ptr<Answer> duckdb_answer(std::shared_ptr<const DuckDbLibrary> library,
                                      const DuckDbLibrary::Result& result);

}  // namespace kitbag::sql
