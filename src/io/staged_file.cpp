#include "io/staged_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <random>

#include "io/names.h"

namespace kitbag {

namespace fs = std::filesystem;

namespace {

// Names at their limit are shortened.
std::string hidden_name(const fs::path& target, std::random_device& random) {
  constexpr std::size_t kMostOfName = 200;
  std::string name = target.filename().string().substr(0, kMostOfName);
  return (target.parent_path() / fmt::format(".{}.{:08x}.part", name, random())).string();
}

// The new file looks like the one that it replaces, as far as the system lets us: only root gives
// files away, and some file systems have neither owners nor modes.
void take_after(int file, const struct stat& replaced, const std::string& path) {
  if (::fchown(file, replaced.st_uid, replaced.st_gid) != 0 && errno != EPERM) {
    throw system_error("set the owner", errno, path);
  }
  if (::fchmod(file, replaced.st_mode & 0777U) != 0 && errno != EPERM) {
    throw system_error("set the mode", errno, path);
  }
}

}  // namespace

StagedFile::StagedFile(const std::string& path) : path_(path) {
  struct stat old;
  bool replaces = ::stat(path.c_str(), &old) == 0;
  // rename(2) would replace even a file that its owner has made read-only.
  if (replaces && ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) {
    throw system_error("replace the file", errno, path);
  }
  target_ = follow_links(path);
  constexpr int kTries = 100;
  std::random_device random;
  for (int i = 0; i < kTries && !file_; ++i) {
    std::string name = hidden_name(target_, random);
    file_ = open_descriptor(name, O_RDWR | O_CREAT | O_EXCL, 0666);
    if (file_) name_ = std::move(name);
    if (!file_ && errno != EEXIST) break;
  }
  int number = errno;
  if (!file_) {
    throw create_error(fmt::format("create a file in {}", folder_of(target_)), number, target_,
                       path);
  }
  try {
    if (replaces) take_after(file_.get(), old, path);
  } catch (const Error&) {
    ::unlink(name_.c_str());  // no destructor runs
    throw;
  }
}

StagedFile::~StagedFile() {
  if (!name_.empty()) ::unlink(name_.c_str());
}

void StagedFile::publish() {
  if (::rename(name_.c_str(), target_.c_str()) != 0) {
    throw system_error("give the finished file its name", errno, path_);
  }
  name_.clear();
  sync_folder(target_, path_);
}

}  // namespace kitbag
