#include "io/local/file_status.h"

#include <sys/stat.h>

#include <cerrno>

#include "io/posix.h"

namespace kitbag {

namespace {

Time time_of(const timespec& time) {
  constexpr std::int64_t kNsOfSecond = 1'000'000'000;
  return from_ns(std::int64_t{time.tv_sec} * kNsOfSecond + time.tv_nsec);
}

}  // namespace

std::optional<FileStatus> status_of(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) == 0) {
    return FileStatus{S_ISREG(status.st_mode),
                      S_ISDIR(status.st_mode),
                      static_cast<std::uint64_t>(status.st_size),
                      time_of(status.st_mtim),
                      time_of(status.st_ctim),
                      {status.st_dev, status.st_ino}};
  }
  // A link that leads to itself, and a name that is too long for a file, lead to nothing either.
  bool is_absent = errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG || errno == ELOOP;
  if (is_absent) return std::nullopt;
  throw system_error("read the file's status", errno, path);
}

bool is_regular_file(const std::string& path) {
  auto status = status_of(path);
  return status && status->is_regular;
}

}  // namespace kitbag
