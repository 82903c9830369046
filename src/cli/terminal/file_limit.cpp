#include "cli/terminal/file_limit.h"

#include <sys/resource.h>

namespace kitbag::cli {

void raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  // If the system refuses, the old limit holds, and a file that cannot be opened is reported.
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace kitbag::cli
