#pragma once

#include <memory>

#include "storage/mcap/index.h"

namespace kitbag::mcap {

/// Verifies a whole file: every record and CRC, the summary and the message indexes against what
/// they speak of, order in time. Findings go to `options.on_problem`.
void check(const std::shared_ptr<const ChunkFile>& file, const ReadOptions& options);

}  // namespace kitbag::mcap
