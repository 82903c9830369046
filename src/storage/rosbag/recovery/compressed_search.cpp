#include "storage/rosbag/recovery/compressed_search.h"

#include <algorithm>

namespace kitbag::rosbag {

std::optional<ChunkHead> find_compressed(RecordSearch& search, std::uint64_t from,
                                         std::uint64_t end) {
  ChunkHead first;
  first.offset = end;
  for (const CompressionMagic& magic : kCompressionMagics) {
    std::uint64_t found = search.find_bytes(from + magic.at, magic.bytes);
    if (found == end || found - magic.at >= first.offset) continue;
    first.offset = found - magic.at;
    first.compression = magic.compression;
  }
  if (first.offset == end) return std::nullopt;
  first.data_offset = first.offset;
  first.stored_bytes =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(end - first.offset, UINT32_MAX));
  return first;
}

}  // namespace kitbag::rosbag
