#include "storage/mcap/filler.h"

#include <algorithm>

namespace kitbag::mcap {

namespace {

/// Above what any alignment asks for: somebody else's record is no filler because it is of zeros.
constexpr std::uint64_t kMostFiller = 256 << 10;

}  // namespace

void append_filler(Buffer& out, std::size_t bytes) {
  if (bytes == 0) return;
  std::size_t content = bytes - kRecordHead;
  RecordWriter(out, kFillerOp).finish(content);
  std::memset(out.extend(content), 0, content);
}

bool is_filler(const ReadFile& file, std::uint64_t offset, std::uint8_t op, std::uint64_t bytes) {
  if (op != kFillerOp || bytes > kMostFiller) return false;
  Buffer content;
  content.resize(static_cast<std::size_t>(bytes - kRecordHead));
  content.resize(file.read(offset + kRecordHead, content.span()));
  ByteView found = content.view();
  return std::all_of(found.begin(), found.end(), [](std::byte one) { return one == std::byte{0}; });
}

}  // namespace kitbag::mcap
