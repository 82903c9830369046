#pragma once

#include <cstddef>
#include <memory>

#include "columns/plan.h"
#include "kitbag/columns.h"

namespace kitbag {

/// Memory that a table keeps for the batches to come. Two batches at a time are usual: one is used,
/// one is filled.
inline constexpr std::size_t kIdleBytes = 192 << 20;

/// Returns the messages of `source` as columns. `plan` is that of the channels of `source`.
std::unique_ptr<Columns> make_column_reader(std::unique_ptr<Source> source, ColumnPlan plan,
                                            const ColumnsRequest& request, const Session& session);

}  // namespace kitbag
