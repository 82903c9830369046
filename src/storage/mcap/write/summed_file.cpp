#include "storage/mcap/write/summed_file.h"

#include <algorithm>
#include <vector>

#include "base/crc32.h"

namespace kitbag::mcap {

namespace {

constexpr std::size_t kReadPiece = 256 << 10;

}  // namespace

std::size_t SummedFile::read(std::uint64_t offset, std::span<std::byte> into) const {
  std::size_t count = file_->read(offset, into);
  crc_before_ = crc_;
  crc_ = crc32(into.first(count), crc_);
  end_ = offset + count;
  return count;
}

std::shared_ptr<Buffer> SummedFile::read_bytes(std::uint64_t offset, std::uint64_t size) const {
  auto buffer = std::make_shared<Buffer>();
  while (buffer->size() < size) {
    std::size_t before = buffer->size();
    auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(kReadPiece, size - before));
    buffer->resize(before + piece);
    std::size_t count = read(offset + before, buffer->span().subspan(before));
    buffer->resize(before + count);
    if (count < piece) break;
  }
  return buffer;
}

void SummedFile::pass_to(std::uint64_t offset) const {
  std::vector<std::byte> piece(kReadPiece);
  while (end_ < offset) {
    auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kReadPiece, offset - end_));
    if (read(end_, std::span(piece).first(wanted)) < wanted) return;
  }
}

}  // namespace kitbag::mcap
