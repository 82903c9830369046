#pragma once

#include <cstdint>
#include <memory>

#include "storage/mcap/chunk_file.h"

namespace kitbag::mcap {

/// Where the bag ends: behind the magic of a whole file, behind which an append that was not
/// completed has left bytes. The size of any other file. Steps over all records in front of it.
std::uint64_t end_of_bag(const ChunkFile& file);

/// The first `end` bytes of `file`.
std::shared_ptr<const ChunkFile> cut_to(const ChunkFile& file, std::uint64_t end);

/// Cuts off what follows end_of_bag(), and reports it to options.on_problem. False: nothing does.
bool leave_unfinished(std::shared_ptr<const ChunkFile>& file, const ReadOptions& options);

}  // namespace kitbag::mcap
