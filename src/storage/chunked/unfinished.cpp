#include "storage/chunked/unfinished.h"

#include <fmt/format.h>

namespace kitbag {

Error unfinished_append(const std::string& path, std::uint64_t end, std::uint64_t bytes) {
  return {ErrorCode::remark,
          fmt::format(
              "the bag ends here; an incomplete or running append has written {} bytes after it",
              bytes),
          path, end};
}

}  // namespace kitbag
