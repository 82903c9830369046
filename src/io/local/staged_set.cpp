#include "io/local/staged_set.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "io/local/names.h"
#include "io/local/staged_file.h"
#include "io/local/staged_name.h"
#include "kitbag/leave.h"

// Several names cannot be given in one step. What can be done is to make failure unlikely between
// the first and the last rename(2), and to make it visible if it happens:
//
//     prepare all      everything that can refuse: locks, owners, names that are taken
//     rename n-1 .. 0  the first part last: where it is, all are
//     sync the folder
//
// A rename that fails after all takes the others back, as far as they have replaced nothing; what
// was replaced is gone. The process is not left meanwhile (NoLeave), so only a kill or a power
// failure can separate the parts.

namespace kitbag {

namespace fs = std::filesystem;

namespace {

/// "dir/run" for "dir/run/".
std::string without_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

Error exists_already(const std::string& folder) {
  return {ErrorCode::invalid, "already exists; a directory is not replaced", folder};
}

[[noreturn]] void throw_created_meanwhile(const std::string& path) {
  throw Error(ErrorCode::exists, "another program has created the file in the meantime", path);
}

/// Nobody else looks into it: what it replaces may be for its owner alone.
constexpr unsigned kSetMode = 0700;

}  // namespace

StagedSet::StagedSet(const std::string& path, const OnWarning& on_warning)
    : parent_(follow_links(without_slash(path)).parent_path()),
      folder_(follow_links(without_slash(path)), on_warning, kSetMode) {}

void StagedSet::add(const std::string& path, WriteLock replaced, bool is_in_place) {
  fs::path target = follow_links(path);
  std::string staged = (folder_.path() / target.filename()).string();
  parts_.push_back({std::move(staged), path, std::move(target), std::move(replaced), is_in_place});
}

std::string StagedSet::place(const std::string& target, bool may_replace) {
  std::string path = without_slash(target);
  bool is_folder = path != target;
  std::error_code ignored;
  bool is_there = fs::exists(path, ignored);
  if (is_folder && is_there && !(fs::is_directory(path, ignored) && fs::is_empty(path, ignored))) {
    throw exists_already(target);
  }
  if (!is_folder && is_there && !fs::is_regular_file(path, ignored)) {
    throw Error(ErrorCode::io, "is not a regular file", target);
  }
  if (is_there && !is_folder && !may_replace) {
    throw Error(ErrorCode::exists, "already exists", target);
  }
  if (is_there && ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) {
    throw system_error("replace the file", errno, target);
  }
  bool keeps_others = !is_folder && !may_replace;
  add(path, keeps_others ? WriteLock() : lock_to_replace(path, {}), false);
  parts_.back().keeps_others = keeps_others;
  return parts_.back().staged + (is_folder ? "/" : "");
}

std::string StagedSet::place_instead(const std::string& target, std::unique_ptr<FileLock> lock) {
  add(target, std::move(static_cast<LocalLock&>(*lock).lock), true);
  return parts_.back().staged;
}

Error StagedSet::with_final_name(const Error& error) const {
  std::string hidden = folder_.path().string() + "/";
  if (!error.file().starts_with(hidden)) return error;
  std::string file = (parent_ / error.file().substr(hidden.size())).string();
  return {error.code(), error.message(), file, error.offset(), error.loss()};
}

/// All that can be refused is, before any part gets its name.
void StagedSet::prepare(Part& part) {
  if (part.is_in_place && !part.replaced.holds(part.path)) {
    throw Error(ErrorCode::busy,
                "another program has replaced the file in the meantime; it is not changed",
                part.path);
  }
  if (part.keeps_others && identity_at(part.target) != FileIdentity()) {
    throw_created_meanwhile(part.path);
  }
  if (!part.is_in_place && !part.keeps_others) {
    part.replaced = lock_to_replace(part.path, std::move(part.replaced));
  }
  struct stat status;
  Descriptor file = open_descriptor(part.staged, O_RDONLY);
  if (!file || ::fstat(file.get(), &status) != 0) {
    throw system_error("rename the finished file", errno, part.path);
  }
  if (!part.keeps_others) take_after(file.get(), part.path);
  part.is_folder = S_ISDIR(status.st_mode);
  part.is_database = !part.is_folder && is_database(file.get(), part.path);
}

/// The parts from `from` on have their names already; those that replaced nothing lose them.
void StagedSet::take_back(std::size_t from) {
  for (std::size_t i = from; i < parts_.size(); ++i) {
    if (parts_[i].keeps_others) rename_over(parts_[i].target, parts_[i].staged);
  }
}

void StagedSet::publish() {
  NoLeave all_or_none;
  for (Part& part : parts_) prepare(part);
  for (std::size_t i = parts_.size(); i-- > 0;) {
    Part& part = parts_[i];
    if (part.is_database) remove_logs(part.target);
    int failure = part.keeps_others ? rename_to_free(part.staged, part.target)
                                    : rename_over(part.staged, part.target);
    if (failure != 0) take_back(i + 1);
    if (failure == EEXIST && part.keeps_others) throw_created_meanwhile(part.path);
    bool is_taken = failure == ENOTEMPTY || failure == EEXIST;
    if (part.is_folder && is_taken) throw exists_already(part.path);
    if (failure != 0) throw system_error("rename the finished file", failure, part.path);
    part.replaced = {};
  }
  if (!parts_.empty()) sync_folder(parts_.front().target, parts_.front().path);
  parts_.clear();
}

}  // namespace kitbag
