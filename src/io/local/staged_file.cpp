#include "io/local/staged_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <random>

#include "io/local/names.h"
#include "io/local/staged_name.h"

// The life of a new file:
//
//     lock what is replaced, shared
//     remove what killed writers of this target have left
//     create .run.bag.0f3a92c1.part, lock it exclusively    <- may be taken for a leftover
//     ... it is written and synced ...
//     is the old file still the one that was locked?
//     own lock becomes shared, rename(2), sync of the folder
//
// Between creating a file and locking it, another writer of the same target may find it, lock it
// and remove it. So after locking, the name must still lead to this file; otherwise a new one is
// made.
//
// A file that replaces another is readable for its owner only until it has that one's owner and
// mode, since the old file may be secret.
//
// The owner of the content syncs it before publish(). The folder is synced afterwards: without
// that, a power failure could leave the old name after the program has reported success.

namespace kitbag {

namespace fs = std::filesystem;

// Once this one is done, the destructor runs whatever the others throw.
StagedFile::StagedFile(const std::string& path, WriteLock replaced, bool may_replace,
                       bool is_in_place)
    : path_(path),
      replaced_(std::move(replaced)),
      may_replace_(may_replace),
      is_in_place_(is_in_place) {}

StagedFile::StagedFile(const std::string& path, bool may_replace, const OnWarning& on_warning)
    : StagedFile(path, may_replace ? lock_to_replace(path, {}) : WriteLock(), may_replace, false) {
  create(on_warning);
}

StagedFile::StagedFile(const std::string& path, WriteLock replaced, const OnWarning& on_warning)
    : StagedFile(path, std::move(replaced), true, true) {
  create(on_warning);
}

void StagedFile::create(const OnWarning& on_warning) {
  struct stat old;
  bool replaces = ::stat(path_.c_str(), &old) == 0;
  if (replaces && !may_replace_) throw Error(ErrorCode::exists, "already exists", path_);
  // rename(2) would replace even a file that its owner has made read-only.
  if (replaces && ::faccessat(AT_FDCWD, path_.c_str(), W_OK, AT_EACCESS) != 0) {
    throw system_error("replace the file", errno, path_);
  }
  target_ = follow_links(path_);
  remove_leftovers(target_, on_warning);
  // Only those who may read the old file may read the new one; it gets its owner and mode below.
  unsigned mode = replaces ? 0600U : 0666U;
  constexpr int kTries = 100;
  std::random_device random;
  for (int i = 0; i < kTries && name_.empty(); ++i) {
    std::string name = hidden_name(target_, random);
    file_ = open_descriptor(name, O_RDWR | O_CREAT | O_EXCL, mode);
    if (!file_ && errno != EEXIST) break;
    if (!file_) continue;
    name_ = std::move(name);
    // Another writer may have taken it for left behind before it was locked.
    bool is_ours = lock_file(file_.get(), LockKind::exclusive) != Locked::busy &&
                   identity_of(file_.get(), path_) == identity_at(name_);
    if (!is_ours) name_.clear();
  }
  int number = errno;
  if (name_.empty()) {
    throw create_error(fmt::format("create a file in {}", folder_of(target_)), number, target_,
                       path_);
  }
  on_leave_.emplace([name = name_] { ::unlink(name.c_str()); });
  take_after(file_.get(), path_);
}

StagedFile::~StagedFile() {
  if (!name_.empty()) ::unlink(name_.c_str());
}

Descriptor StagedFile::copy_descriptor() const {
  Descriptor copy(::fcntl(file_.get(), F_DUPFD_CLOEXEC, 0));
  if (!copy) throw system_error("write the file", errno, path_);
  return copy;
}

void StagedFile::hold_replaced() {
  if (!may_replace_) return;
  if (!is_in_place_) {
    replaced_ = lock_to_replace(path_, std::move(replaced_));
  } else if (!replaced_.holds(path_)) {
    throw Error(ErrorCode::busy,
                "another program has replaced the file in the meantime; it is not changed", path_);
  }
}

void StagedFile::throw_created() const {
  throw Error(ErrorCode::exists, "another program has created the file in the meantime", path_);
}

void StagedFile::publish() {
  hold_replaced();
  // Before the logs are removed, which would be those of the other one.
  if (!may_replace_ && identity_at(target_.string()) != FileIdentity()) throw_created();
  if (is_database(file_.get(), path_)) remove_logs(target_);
  // Once the file has its name, another program may want to replace it, and must not have to wait
  // for the exclusive lock. A shared one still protects it from the removal of leftovers.
  lock_file(file_.get(), LockKind::shared);
  int failure = may_replace_ ? rename_over(name_, target_) : rename_to_free(name_, target_);
  if (failure == EEXIST) throw_created();
  if (failure != 0) throw system_error("rename the finished file", failure, path_);
  name_.clear();
  on_leave_.reset();
  file_.close();
  replaced_ = {};
  sync_folder(target_, path_);
}

WriteLock lock_to_replace(const std::string& path, WriteLock held) {
  struct stat status;
  bool is_there = ::stat(path.c_str(), &status) == 0;
  if (!is_there && errno != ENOENT) throw system_error("replace the file", errno, path);
  if (!is_there || !S_ISREG(status.st_mode)) return {};
  if (held && held.holds(path)) return held;
  // What cannot be read cannot be locked; whether it may be replaced, its folder decides.
  if (::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0) return {};
  try {
    return WriteLock::of_file(path, LockKind::shared, {});
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
    return {};  // gone meanwhile
  }
}

// Only root gives files away, and some file systems have neither owners nor modes.
void take_after(int file, const std::string& replaced) {
  struct stat old;
  if (::stat(replaced.c_str(), &old) != 0) {
    if (errno == ENOENT) return;
    throw system_error("read the file's status", errno, replaced);
  }
  if (::fchown(file, old.st_uid, old.st_gid) != 0 && errno != EPERM) {
    throw system_error("set the owner", errno, replaced);
  }
  if (::fchmod(file, old.st_mode & 0777U) != 0 && errno != EPERM) {
    throw system_error("set the mode", errno, replaced);
  }
}

}  // namespace kitbag
