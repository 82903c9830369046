#pragma once

#include <cstdint>

#include "storage/chunked/chunk_store.h"

namespace kitbag {

/// A chunk being merged. `front` runs through its messages, which are in the order of the query.
///
/// Where many chunks overlap in time, each is in memory only in part: the messages that come next,
/// copied together. When these are used up it is loaded again, and the next part of it is kept. So
/// a bag whose chunks all span its whole time is read in bounded memory, for the price of unpacking
/// each chunk several times.
struct OpenChunk {
  std::uint32_t index = 0;
  LoadedChunk loaded;
  std::size_t front = 0;
  std::size_t first = 0;  ///< how many of its messages come before those in memory
  bool has_more = false;  ///< and there are others behind them
  bool begun = false;
  std::uint64_t kept_by_batch = 0;  ///< number of the batch that keeps the owner already

  bool is_used_up() const { return front == loaded.messages.size(); }
  /// The place of the first message behind those in memory.
  std::size_t next_place() const { return first + loaded.messages.size(); }
  std::size_t bytes_held() const {
    return loaded.bytes_pinned + loaded.messages.capacity() * sizeof(Message);
  }
  /// Keeps only the next messages, `most_bytes` of them or at least one, and releases the rest.
  void shrink(std::size_t most_bytes);
};

}  // namespace kitbag
