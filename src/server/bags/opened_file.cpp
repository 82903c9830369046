#include "server/bags/local_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "kitbag/error.h"

namespace kitbag::server {

LocalFile open_local_file(const std::string& path) {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw Error(errno == ENOENT ? ErrorCode::not_found : ErrorCode::io, std::strerror(errno), path);
  }
  LocalFile opened;
  opened.file = std::make_shared<OpenFile>(descriptor);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw Error(ErrorCode::io, std::strerror(errno), path);
  if (!S_ISREG(status.st_mode)) throw Error(ErrorCode::io, "not a regular file", path);
  opened.id = {status.st_dev, status.st_ino};
  opened.size = static_cast<std::uint64_t>(status.st_size);
  opened.modified = Time(std::chrono::seconds(status.st_mtim.tv_sec) +
                         std::chrono::nanoseconds(status.st_mtim.tv_nsec));
  opened.version =
      fmt::format("{:x}-{:x}-{:x}", status.st_ino, opened.size, to_ns(opened.modified));
  return opened;
}

LocalFile open_leased_file(const std::string& path, Duration after, Leases& leases) {
  LocalFile opened = open_local_file(path);
  auto close = [file = opened.file.get()] { file->close(); };
  opened.file->keep(leases.take(opened.id, after, close));
  return opened;
}

}  // namespace kitbag::server
