// Preloaded into a program, makes the system refuse one of its calls: of the kinds that
// KITBAG_FAIL_CALLS names (open, read, stat, list, write, sync, name, memory), on files below the
// folder KITBAG_FAIL_UNDER, the KITBAG_FAIL_AT-th, by the errno KITBAG_FAIL_ERRNO; 0: none. With
// KITBAG_FAIL_ON=1 all behind it are refused too. KITBAG_FAIL_COUNT is a file that gets how many
// calls of each of these kinds there were. "memory": what is asked for at once, 64 KiB or more.
// io_uring is refused always, since it reads and writes without such calls.

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/support/preloaded.h"

// Names of folders are kept with their streams: readdir() does not give them.

namespace {

constexpr size_t kLargeBytes = 64 << 10;
constexpr const char* kKinds[] = {"open",  "read", "stat", "list",
                                  "write", "sync", "name", "memory"};
constexpr size_t kKindCount = sizeof kKinds / sizeof *kKinds;

const char* text_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? text : "";
}

struct Settings {
  const char* calls = text_in("KITBAG_FAIL_CALLS");
  const char* under = text_in("KITBAG_FAIL_UNDER");
  long at = std::atol(text_in("KITBAG_FAIL_AT"));
  int number = std::atoi(text_in("KITBAG_FAIL_ERRNO"));
  bool goes_on = *text_in("KITBAG_FAIL_ON") != '\0';
  std::atomic<long> count = 0;
  std::atomic<long> counts[kKindCount] = {};

  ~Settings() {
    const char* path = text_in("KITBAG_FAIL_COUNT");
    if (*path == '\0') return;
    if (FILE* file = std::fopen(path, "w")) {
      for (size_t i = 0; i < kKindCount; ++i) {
        std::fprintf(file, "%s %ld\n", kKinds[i], counts[i].load());
      }
      std::fclose(file);
    }
  }
};

// Set by the constructor below, before main(); what is called earlier is not refused.
Settings* settings = nullptr;

__attribute__((constructor)) void begin() {
  static Settings all;
  settings = &all;
}

bool is_under(const char* path) {
  return path && std::strncmp(path, settings->under, std::strlen(settings->under)) == 0;
}

bool is_kind(const char* kind) {
  return settings && std::strstr(settings->calls, kind) != nullptr;
}

/// True: this call is to fail, and errno says how.
bool is_its_turn(const char* kind) {
  for (size_t i = 0; i < kKindCount; ++i) {
    if (std::strcmp(kKinds[i], kind) == 0) ++settings->counts[i];
  }
  long now = ++settings->count;
  bool is_it =
      settings->at > 0 && (now == settings->at || (settings->goes_on && now > settings->at));
  if (is_it) errno = settings->number;
  return is_it;
}

bool fails(const char* kind, const char* path) {
  return is_kind(kind) && is_under(path) && is_its_turn(kind);
}

bool fails(const char* kind, int file) {
  if (!is_kind(kind)) return false;
  char path[4096];
  return path_of(file, path) && fails(kind, path);
}

bool fails_at(const char* kind, int folder, const char* path) {
  return path && *path != '\0' ? fails(kind, path) : fails(kind, folder);
}

mode_t mode_of(int flags, va_list rest) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
}

}  // namespace

#define FAILING(kind, result, name, types, values, where) \
  result name types {                                     \
    static auto* real = next<result types>(#name);        \
    return fails(kind, where) ? result(-1) : real values; \
  }

#define FAILING_OPEN(name)                                       \
  int name(const char* path, int flags, ...) {                   \
    va_list rest;                                                \
    va_start(rest, flags);                                       \
    mode_t mode = mode_of(flags, rest);                          \
    va_end(rest);                                                \
    static auto* real = next<int(const char*, int, ...)>(#name); \
    return fails("open", path) ? -1 : real(path, flags, mode);   \
  }

#define FAILING_STAT(name, type)                              \
  int name(const char* path, type* into) {                    \
    static auto* real = next<int(const char*, type*)>(#name); \
    return fails("stat", path) ? -1 : real(path, into);       \
  }

#define FAILING_LIST(name, type)                                    \
  type* name(DIR* folder) {                                         \
    static auto* real = next<type*(DIR*)>(#name);                   \
    return fails("list", ::dirfd(folder)) ? nullptr : real(folder); \
  }

// NOLINTBEGIN: the names and types are the system's.
extern "C" {

FAILING_OPEN(open)
FAILING_OPEN(open64)

int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = mode_of(flags, rest);
  va_end(rest);
  static auto* real = next<int(int, const char*, int, ...)>("openat");
  return fails("open", path) ? -1 : real(folder, path, flags, mode);
}

FILE* fopen(const char* path, const char* mode) {
  static auto* real = next<FILE*(const char*, const char*)>("fopen");
  return fails("open", path) ? nullptr : real(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  static auto* real = next<FILE*(const char*, const char*)>("fopen64");
  return fails("open", path) ? nullptr : real(path, mode);
}

FAILING("read", ssize_t, read, (int file, void* into, size_t size), (file, into, size), file)
FAILING("read", ssize_t, pread, (int file, void* into, size_t size, off_t at),
        (file, into, size, at), file)
FAILING("read", ssize_t, pread64, (int file, void* into, size_t size, off64_t at),
        (file, into, size, at), file)
FAILING("read", ssize_t, readv, (int file, const iovec* pieces, int count), (file, pieces, count),
        file)
FAILING("read", ssize_t, preadv2, (int file, const iovec* pieces, int count, off_t at, int flags),
        (file, pieces, count, at, flags), file)
FAILING("read", ssize_t, preadv64v2,
        (int file, const iovec* pieces, int count, off64_t at, int flags),
        (file, pieces, count, at, flags), file)

FAILING_STAT(stat, struct stat)
FAILING_STAT(lstat, struct stat)
FAILING_STAT(stat64, struct stat64)
FAILING_STAT(lstat64, struct stat64)
FAILING("stat", int, fstat, (int file, struct stat* into), (file, into), file)
FAILING("stat", int, fstat64, (int file, struct stat64* into), (file, into), file)

int fstatat(int folder, const char* path, struct stat* into, int flags) {
  static auto* real = next<int(int, const char*, struct stat*, int)>("fstatat");
  return fails_at("stat", folder, path) ? -1 : real(folder, path, into, flags);
}
int statx(int folder, const char* path, int flags, unsigned mask, struct statx* into) {
  static auto* real = next<int(int, const char*, int, unsigned, struct statx*)>("statx");
  return fails_at("stat", folder, path) ? -1 : real(folder, path, flags, mask, into);
}

DIR* opendir(const char* path) {
  static auto* real = next<DIR*(const char*)>("opendir");
  return fails("list", path) ? nullptr : real(path);
}
DIR* fdopendir(int folder) {
  static auto* real = next<DIR*(int)>("fdopendir");
  return fails("list", folder) ? nullptr : real(folder);
}
FAILING_LIST(readdir, dirent)
FAILING_LIST(readdir64, dirent64)

FAILING("write", ssize_t, write, (int file, const void* from, size_t size), (file, from, size),
        file)
FAILING("write", ssize_t, pwrite, (int file, const void* from, size_t size, off_t at),
        (file, from, size, at), file)
FAILING("write", ssize_t, pwrite64, (int file, const void* from, size_t size, off64_t at),
        (file, from, size, at), file)
FAILING("write", ssize_t, writev, (int file, const iovec* pieces, int count), (file, pieces, count),
        file)
FAILING("write", int, ftruncate, (int file, off_t size), (file, size), file)
FAILING("write", int, ftruncate64, (int file, off64_t size), (file, size), file)
FAILING("sync", int, fsync, (int file), (file), file)
FAILING("sync", int, fdatasync, (int file), (file), file)

int close(int file) {
  static auto* real = next<int(int)>("close");
  bool is_failed = fails("sync", file);
  int number = errno;
  int result = real(file);
  if (!is_failed) return result;
  errno = number;
  return -1;
}

FAILING("name", int, rename, (const char* from, const char* to), (from, to), to)
FAILING("name", int, renameat2,
        (int from_folder, const char* from, int to_folder, const char* to, unsigned flags),
        (from_folder, from, to_folder, to, flags), to)
FAILING("name", int, mkdir, (const char* path, mode_t mode), (path, mode), path)
FAILING("name", int, link, (const char* from, const char* to), (from, to), to)
char* mkdtemp(char* path) {
  static auto* real = next<char*(char*)>("mkdtemp");
  return fails("name", path) ? nullptr : real(path);
}

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);

static bool lacks_memory(size_t size) {
  return size >= kLargeBytes && is_kind("memory") && is_its_turn("memory");
}
void* malloc(size_t size) {
  return lacks_memory(size) ? nullptr : __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  return lacks_memory(count * size) ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  return lacks_memory(size) ? nullptr : __libc_realloc(old, size);
}

int io_uring_queue_init(unsigned, void*, unsigned) {
  return -ENOSYS;
}
}
// NOLINTEND
