// Preloaded into a program, makes one of its calls that change files fail: the KITBAG_FAIL_AT-th,
// and all behind it, on files below the folder KITBAG_FAIL_UNDER, by the errno KITBAG_FAIL_ERRNO.
// io_uring is refused, since it writes without such calls.

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/support/preloaded.h"

namespace {

long number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? std::atol(text) : 0;
}

bool is_meant(int file) {
  const char* under = std::getenv("KITBAG_FAIL_UNDER");
  if (!under) return false;
  char path[4096];
  return path_of(file, path) && std::strncmp(path, under, std::strlen(under)) == 0;
}

/// True: the call is to fail, and errno says how.
bool fails(int file) {
  static std::atomic<long> count = 0;
  static const long kAt = number_in("KITBAG_FAIL_AT");
  if (kAt == 0 || !is_meant(file) || ++count < kAt) return false;
  errno = static_cast<int>(number_in("KITBAG_FAIL_ERRNO"));
  return true;
}

}  // namespace

extern "C" {

ssize_t write(int file, const void* data, size_t size) {
  static auto* real = next<ssize_t(int, const void*, size_t)>("write");
  return fails(file) ? -1 : real(file, data, size);
}

ssize_t pwrite(int file, const void* data, size_t size, off_t at) {
  static auto* real = next<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return fails(file) ? -1 : real(file, data, size, at);
}

ssize_t pwrite64(int file, const void* data, size_t size, off64_t at) {
  static auto* real = next<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  return fails(file) ? -1 : real(file, data, size, at);
}

ssize_t writev(int file, const iovec* pieces, int count) {
  static auto* real = next<ssize_t(int, const iovec*, int)>("writev");
  return fails(file) ? -1 : real(file, pieces, count);
}

int ftruncate(int file, off_t size) {
  static auto* real = next<int(int, off_t)>("ftruncate");
  return fails(file) ? -1 : real(file, size);
}

int ftruncate64(int file, off64_t size) {
  static auto* real = next<int(int, off64_t)>("ftruncate64");
  return fails(file) ? -1 : real(file, size);
}

int fsync(int file) {
  static auto* real = next<int(int)>("fsync");
  return fails(file) ? -1 : real(file);
}

int fdatasync(int file) {
  static auto* real = next<int(int)>("fdatasync");
  return fails(file) ? -1 : real(file);
}

int io_uring_queue_init(unsigned, void*, unsigned) {
  return -ENOSYS;
}
}
