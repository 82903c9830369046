#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arrow/ipc_field.h"
#include "kitbag/arrow.h"
#include "parquet/column_chunk.h"

namespace kitbag::parquet {

/// Passes the rows from `begin` on of `batch`, a struct array of `root`, to the chunks of all
/// leaves in their order. Throws Error (invalid) if the array is not as `root` says.
void shred(const arrow::IpcField& root, const ArrowArray& batch, std::int64_t begin,
           std::int64_t rows, std::span<ColumnChunk> chunks);

}  // namespace kitbag::parquet
