#include "pipeline/record/active_writer.h"

#include <fcntl.h>
#include <stdio.h>

#include <cerrno>
#include <cstring>

#include "kitbag/error.h"
#include "pipeline/record/file_names.h"

namespace kitbag {

void ActiveWriter::close() {
  writer_->close();
  std::string active = path_ + kActiveSuffix;
  while (::renameat2(AT_FDCWD, active.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) != 0) {
    int cause = errno;
    if (cause == EEXIST) {
      path_ = FileNames::free_name(path_);
    } else if (cause != EINVAL || ::rename(active.c_str(), path_.c_str()) != 0) {
      throw Error(ErrorCode::io,
                  std::string("the recording is whole, but cannot be given its name: ") +
                      std::strerror(cause),
                  active);
    } else {
      break;  // a file system that does not know how to leave others alone
    }
  }
  on_whole_(path_);
}

}  // namespace kitbag
