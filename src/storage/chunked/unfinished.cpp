#include "storage/chunked/unfinished.h"

#include <fmt/format.h>

namespace kitbag {

Error unfinished_append(const std::string& path, std::uint64_t end, std::uint64_t bytes) {
  return {ErrorCode::cancelled,
          fmt::format("the bag ends here; an append that was not completed, or is under way, has "
                      "written {} bytes behind it",
                      bytes),
          path, end};
}

}  // namespace kitbag
