#include "server/bags/opened_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "kitbag/error.h"

// A version is made of number, size and time of modification. Locally they come from the
// descriptor, which cannot be replaced behind our back. Elsewhere there is only the path; two equal
// states around the opening say that it was the same file.

namespace kitbag::server {
namespace {

std::string version_of(const OpenedFile& opened) {
  return fmt::format("{:x}-{:x}-{:x}", opened.id.number, opened.size, to_ns(opened.modified));
}

/// Other file systems say what a file is by its path only: it must be the same before and after it
/// is opened.
OpenedFile open_elsewhere(const FileSystem& files, const std::string& path) {
  auto status = files.status(path);
  if (!status) throw Error(ErrorCode::not_found, "there is no such file", path);
  if (!status->is_regular) throw Error(ErrorCode::io, "not a regular file", path);
  OpenedFile opened;
  opened.file = std::make_shared<OpenFile>(files.open(path));
  if (files.status(path) != status) throw Refusal(503, kBagHasChanged);
  opened.id = status->id;
  opened.size = status->size_bytes;
  opened.modified = status->modified;
  opened.version = version_of(opened);
  return opened;
}

}  // namespace

OpenedFile open_local_file(const std::string& path) {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw Error(errno == ENOENT ? ErrorCode::not_found : ErrorCode::io, std::strerror(errno), path);
  }
  OpenedFile opened;
  opened.file = std::make_shared<OpenFile>(descriptor);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw Error(ErrorCode::io, std::strerror(errno), path);
  if (!S_ISREG(status.st_mode)) throw Error(ErrorCode::io, "not a regular file", path);
  opened.id = {status.st_dev, status.st_ino};
  opened.size = static_cast<std::uint64_t>(status.st_size);
  opened.modified = Time(std::chrono::seconds(status.st_mtim.tv_sec) +
                         std::chrono::nanoseconds(status.st_mtim.tv_nsec));
  opened.version = version_of(opened);
  return opened;
}

OpenedFile open_leased_file(const FileSystem& files, const std::string& path, Duration after,
                            Leases& leases) {
  OpenedFile opened = files.is_local() ? open_local_file(path) : open_elsewhere(files, path);
  auto close = [file = opened.file.get()] { file->close(); };
  opened.file->keep(leases.take(opened.id, after, close));
  return opened;
}

}  // namespace kitbag::server
