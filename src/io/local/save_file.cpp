#include <fmt/format.h>

#include <vector>

#include "io/local/write_file.h"
#include "kitbag/file.h"

namespace kitbag {

void save_file(const ReadFile& file, const std::string& path, bool may_replace) {
  constexpr std::size_t kPieceBytes = 1 << 20;
  auto saved = create_file(path, {.io = Io::buffered, .may_replace = may_replace});
  std::vector<std::byte> piece(kPieceBytes);
  std::uint64_t size = file.size();
  for (std::uint64_t at = 0; at < size;) {
    std::size_t count = file.read(at, piece);
    if (count == 0) {
      throw Error(ErrorCode::truncated, fmt::format("only {} of {} bytes could be read", at, size),
                  path);
    }
    saved->append(ByteView(piece).first(count));
    at += count;
  }
  saved->commit();
}

}  // namespace kitbag
