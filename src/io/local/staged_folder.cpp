#include "io/local/staged_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <random>

#include "io/local/names.h"
#include "io/local/staged_name.h"

namespace kitbag {

namespace fs = std::filesystem;

namespace {

// Again, because another thread may still add a file when the process is left.
void remove_all_of(const fs::path& folder) noexcept {
  constexpr int kTries = 3;
  std::error_code error;
  for (int i = 0; i < kTries; ++i) {
    fs::remove_all(folder, error);
    if (!error) return;
  }
}

}  // namespace

StagedFolder::StagedFolder(fs::path target, const OnWarning& on_warning, unsigned mode)
    : StagedFolder(std::move(target)) {  // so that the destructor runs whatever is thrown here
  remove_leftovers(target_, on_warning);
  constexpr int kTries = 100;
  std::random_device random;
  for (int i = 0; i < kTries && path_.empty(); ++i) {
    std::string name = hidden_name(target_, random);
    if (::mkdir(name.c_str(), mode) != 0) {
      if (errno == EEXIST) continue;
      break;
    }
    path_ = name;
    lock_ = open_descriptor(name, O_RDONLY | O_DIRECTORY);
    if (!lock_ && errno != ENOENT) {
      throw system_error("open a temporary folder beside it", errno, target_.string());
    }
    // Another writer may have taken it for left behind before it was locked.
    bool is_ours = lock_ && lock_folder(lock_.get()) != Locked::busy &&
                   identity_of(lock_.get(), name) == identity_at(name);
    if (!is_ours) path_.clear();
  }
  if (path_.empty()) {
    throw create_error(fmt::format("create a folder in {}", folder_of(target_)), errno, target_,
                       target_.string());
  }
  on_leave_.emplace([path = path_] { remove_all_of(path); });
}

StagedFolder::~StagedFolder() {
  if (!path_.empty()) remove_all_of(path_);
}

void StagedFolder::publish() {
  // Syncs path_ itself: the entries of the folder must be on the disk before it gets its name.
  sync_folder(path_ / "entry", target_.string());
  if (::rename(path_.c_str(), target_.c_str()) != 0) {
    if (errno == ENOTEMPTY || errno == EEXIST) {
      throw Error(ErrorCode::invalid, "already exists; a directory is not replaced",
                  target_.string());
    }
    throw system_error("rename the finished folder", errno, target_.string());
  }
  path_.clear();
  on_leave_.reset();
  lock_.close();
  sync_folder(target_, target_.string());
}

void make_folder(const fs::path& target) {
  if (::mkdir(target.c_str(), 0777) == 0 || errno == EEXIST) return;
  throw create_error("create the folder", errno, target, target.string());
}

}  // namespace kitbag
