#include "io/local/names.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "io/posix.h"

namespace kitbag {

namespace fs = std::filesystem;

std::string folder_of(const fs::path& path) {
  auto folder = path.parent_path();
  return folder.empty() ? "." : folder.string();
}

fs::path follow_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // as the kernel
  fs::path target = path;
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(target, error))) return target;
    fs::path next = fs::read_symlink(target, error);
    if (error) throw system_error("follow the link", error.value(), path);
    target = target.parent_path() / next;
  }
  throw system_error("follow the link", ELOOP, path);
}

SystemError create_error(const std::string& what, int number, const fs::path& target,
                         const std::string& path) {
  if (number != ENOENT) return system_error(what, number, path);
  std::string text = fmt::format("the folder {} does not exist", folder_of(target));
  return {Error(ErrorCode::not_found, text, path), number};
}

int rename_over(const std::string& from, const std::string& to) {
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

// Not every file system knows RENAME_NOREPLACE (EINVAL; ENOSYS: nor does the kernel); a second link
// refuses a name that is taken, too. One that has no links either (FAT) leaves a look and a hope.
int rename_to_free(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (::link(from.c_str(), to.c_str()) == 0) return ::unlink(from.c_str()) == 0 ? 0 : errno;
  if (errno == EEXIST) return EEXIST;
  struct stat there;
  if (::lstat(to.c_str(), &there) == 0) return EEXIST;
  return rename_over(from, to);
}

void sync_folder(const fs::path& target, const std::string& path) {
  Descriptor folder = open_descriptor(folder_of(target), O_RDONLY | O_DIRECTORY);
  // A folder that may be written but not read cannot be synced; nor can those of some file systems.
  if (!folder || ::fsync(folder.get()) == 0 || errno == EINVAL) return;
  throw system_error("sync the folder to the disk", errno, path);
}

}  // namespace kitbag
