#pragma once

#include <cstddef>
#include <cstdint>

#include "kitbag/export.h"

namespace kitbag {

class Session;

/// What the readers of a session share of compressed chunks. The counts begin with the session.
struct ChunkFigures {
  std::uint64_t loads = 0;         ///< chunks that were read and decompressed
  std::uint64_t hits = 0;          ///< chunks that a reader took over from another one
  std::uint64_t waits = 0;         ///< of the hits, those that another reader was still loading
  std::size_t kept_chunks = 0;     ///< chunks that are kept now
  std::size_t kept_bytes = 0;      ///< decompressed
  std::size_t reserved_bytes = 0;  ///< for chunks that are read ahead
};

/// Any thread.
KITBAG_API ChunkFigures chunk_figures(const Session& session);

}  // namespace kitbag
