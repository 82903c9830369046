#include "io/local/link_file.h"

#include <fcntl.h>
#include <unistd.h>

namespace kitbag {

bool link_file(const std::string& path, const std::string& to) {
  return ::linkat(AT_FDCWD, path.c_str(), AT_FDCWD, to.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

}  // namespace kitbag
