// Preloaded into a program, holds what it writes to files below the folder KITBAG_HOLD_UNDER as
// long as somebody else has locked the file KITBAG_HOLD_LOCK (flock(2), exclusively). So a test can
// look at work that is half done, for as long as it likes. io_uring is refused, since it writes
// without such calls.

#include <fcntl.h>
#include <sys/file.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/support/preloaded.h"

namespace {

bool is_meant(int file) {
  const char* under = std::getenv("KITBAG_HOLD_UNDER");
  if (!under) return false;
  char path[4096];
  return path_of(file, path) && std::strncmp(path, under, std::strlen(under)) == 0;
}

void hold(int file) {
  const char* path = std::getenv("KITBAG_HOLD_LOCK");
  if (!path || !is_meant(file)) return;
  int lock = ::open(path, O_RDONLY | O_CLOEXEC);
  if (lock < 0) return;
  ::flock(lock, LOCK_SH);
  ::close(lock);
}

}  // namespace

extern "C" {

ssize_t write(int file, const void* data, size_t size) {
  static auto* real = next<ssize_t(int, const void*, size_t)>("write");
  hold(file);
  return real(file, data, size);
}

ssize_t pwrite(int file, const void* data, size_t size, off_t at) {
  static auto* real = next<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  hold(file);
  return real(file, data, size, at);
}

ssize_t pwrite64(int file, const void* data, size_t size, off64_t at) {
  static auto* real = next<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  hold(file);
  return real(file, data, size, at);
}

ssize_t writev(int file, const iovec* pieces, int count) {
  static auto* real = next<ssize_t(int, const iovec*, int)>("writev");
  hold(file);
  return real(file, pieces, count);
}

int io_uring_queue_init(unsigned, void*, unsigned) {
  return -ENOSYS;
}
}
