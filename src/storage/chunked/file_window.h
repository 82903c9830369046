#pragma once

#include <algorithm>
#include <cstdint>

#include "base/buffer.h"
#include "kitbag/file.h"

namespace kitbag {

/// A stretch of a file in memory, which moves along.
class FileWindow {
 public:
  /// `wanted` bytes at `offset` or more, of the file's `size` bytes; `read_bytes` are read at once
  /// if they are not there yet. Fewer at the end, or when somebody has cut the file meanwhile.
  /// Valid until the next call.
  ByteView at(const ReadFile& file, std::uint64_t size, std::uint64_t offset, std::uint64_t wanted,
              std::size_t read_bytes) {
    if (offset >= size) return {};
    wanted = std::min(wanted, size - offset);
    bool is_inside = offset >= start_ && offset + wanted <= start_ + bytes_.size();
    if (!is_inside) {
      std::uint64_t count =
          std::min<std::uint64_t>(size - offset, std::max<std::uint64_t>(wanted, read_bytes));
      bytes_.resize(static_cast<std::size_t>(count));
      bytes_.resize(file.read(offset, bytes_.span()));
      start_ = offset;
    }
    return bytes_.view().subspan(static_cast<std::size_t>(offset - start_));
  }

 private:
  Buffer bytes_;
  std::uint64_t start_ = 0;
};

}  // namespace kitbag
