#include "io/copy_file.h"

#include <fmt/format.h>

#include <vector>

namespace kitbag {

void copy_file(const ReadFile& from, WriteFile& to, const std::string& name,
               const std::function<void(std::size_t bytes)>& on_copied) {
  constexpr std::size_t kPieceBytes = 1 << 20;
  std::vector<std::byte> piece(kPieceBytes);
  // Asked once: a file that grows is copied as it was.
  std::uint64_t size = from.size();
  for (std::uint64_t at = 0; at < size;) {
    std::size_t count = from.read(at, piece);
    if (count == 0) {
      throw Error(ErrorCode::truncated, fmt::format("only {} of {} bytes could be read", at, size),
                  name);
    }
    to.append(ByteView(piece).first(count));
    at += count;
    if (on_copied) on_copied(count);
  }
}

}  // namespace kitbag
