#include "io/file_slice.h"

#include <algorithm>

namespace kitbag {

std::size_t FileSlice::read(std::uint64_t offset, std::span<std::byte> into) const {
  if (offset >= size_) return 0;
  auto count = std::min<std::uint64_t>(into.size(), size_ - offset);
  return file_->read(offset_ + offset, into.first(static_cast<std::size_t>(count)));
}

void FileSlice::prefetch(std::uint64_t offset, std::uint64_t size) const {
  if (offset < size_) file_->prefetch(offset_ + offset, std::min(size, size_ - offset));
}

}  // namespace kitbag
