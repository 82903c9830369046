// Preloaded into a program, kills it by SIGKILL in front of the KITBAG_DIE_AT-th of its calls that
// change files or names below the folder KITBAG_DIE_UNDER. A long write is cut at a page first, as
// the system may do. io_uring is refused, since it writes without such calls.

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

#include "tests/support/preloaded.h"

namespace {

bool is_under(const char* path) {
  const char* under = std::getenv("KITBAG_DIE_UNDER");
  return under && path && std::strncmp(path, under, std::strlen(under)) == 0;
}

/// True: this is the call to die in.
bool is_last(bool is_meant) {
  static std::atomic<long> count = 0;
  static const long kAt = [] {
    const char* text = std::getenv("KITBAG_DIE_AT");
    return text ? std::atol(text) : 0;
  }();
  return kAt != 0 && is_meant && ++count == kAt;
}

bool is_last_on(int file) {
  char path[4096];
  return path_of(file, path) && is_last(is_under(path));
}

void die() {
  ::kill(::getpid(), SIGKILL);
  while (true) ::pause();
}

void die_if(bool is_now) {
  if (is_now) die();
}

/// How much of a write reaches the file.
size_t torn(size_t size) {
  constexpr size_t kPage = 4096;
  return size / 2 / kPage * kPage;
}

int opened(const char* name, int folder, const char* path, int flags, mode_t mode) {
  bool changes = (flags & (O_CREAT | O_TRUNC)) != 0;
  die_if(changes && is_last(is_under(path)));
  if (folder == AT_FDCWD) {
    return next<int(const char*, int, ...)>(name)(path, flags, mode);
  }
  return next<int(int, const char*, int, ...)>(name)(folder, path, flags, mode);
}

mode_t mode_in(int flags, va_list list) {
  return (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = mode_in(flags, list);
  va_end(list);
  return opened("open", AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = mode_in(flags, list);
  va_end(list);
  return opened("open64", AT_FDCWD, path, flags, mode);
}

ssize_t write(int file, const void* data, size_t size) {
  static auto* real = next<ssize_t(int, const void*, size_t)>("write");
  bool is_now = is_last_on(file);
  if (is_now && torn(size) > 0) real(file, data, torn(size));
  die_if(is_now);
  return real(file, data, size);
}

ssize_t pwrite(int file, const void* data, size_t size, off_t at) {
  static auto* real = next<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  bool is_now = is_last_on(file);
  if (is_now && torn(size) > 0) real(file, data, torn(size), at);
  die_if(is_now);
  return real(file, data, size, at);
}

ssize_t pwrite64(int file, const void* data, size_t size, off64_t at) {
  static auto* real = next<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  bool is_now = is_last_on(file);
  if (is_now && torn(size) > 0) real(file, data, torn(size), at);
  die_if(is_now);
  return real(file, data, size, at);
}

ssize_t writev(int file, const iovec* pieces, int count) {
  static auto* real = next<ssize_t(int, const iovec*, int)>("writev");
  bool is_now = is_last_on(file);
  if (is_now && count > 1) real(file, pieces, count / 2);
  die_if(is_now);
  return real(file, pieces, count);
}

int ftruncate(int file, off_t size) {
  static auto* real = next<int(int, off_t)>("ftruncate");
  die_if(is_last_on(file));
  return real(file, size);
}

int ftruncate64(int file, off64_t size) {
  static auto* real = next<int(int, off64_t)>("ftruncate64");
  die_if(is_last_on(file));
  return real(file, size);
}

int fsync(int file) {
  static auto* real = next<int(int)>("fsync");
  die_if(is_last_on(file));
  return real(file);
}

int fdatasync(int file) {
  static auto* real = next<int(int)>("fdatasync");
  die_if(is_last_on(file));
  return real(file);
}

int rename(const char* from, const char* to) {
  static auto* real = next<int(const char*, const char*)>("rename");
  die_if(is_last(is_under(to)));
  return real(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  static auto* real = next<int(int, const char*, int, const char*, unsigned)>("renameat2");
  die_if(is_last(is_under(to)));
  return real(from_folder, from, to_folder, to, flags);
}

int unlink(const char* path) {
  static auto* real = next<int(const char*)>("unlink");
  die_if(is_last(is_under(path)));
  return real(path);
}

int mkdir(const char* path, mode_t mode) {
  static auto* real = next<int(const char*, mode_t)>("mkdir");
  die_if(is_last(is_under(path)));
  return real(path, mode);
}

int io_uring_queue_init(unsigned, void*, unsigned) {
  return -ENOSYS;
}
}
