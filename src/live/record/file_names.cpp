#include "live/record/file_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <string_view>

#include "base/path.h"
#include "kitbag/error.h"
#include "kitbag/file_system.h"
#include "kitbag/open.h"
#include "kitbag/session.h"
#include "kitbag/text.h"

//   x.mcap.active  -- rename, when complete -->  x.mcap
//
// The suffix lies behind the extension, so that a program that looks for *.mcap does not open half
// a file, and `kitbag repair x.mcap.active x.mcap` needs no other name. rename(2) within one folder
// is one step: a name without the suffix is always a whole file. On a file system that cannot
// rename (an upload to an object store), a file appears when it is closed, and no suffix is used.
//
// Between the begin and the end of a recording others may do anything with the folder. So the
// file's identity is compared before it is renamed, a name that was taken meanwhile gives way to
// one with a number, and rename() is asked not to replace, in a loop, because the check before it
// proves nothing.
//
// Files of earlier runs are found by their names alone: `x_12.mcap` for the target x.mcap, or a UTC
// time such as `2026-11-20_14-30-00`. If old files are deleted or uploaded, a recording goes on
// behind the highest number, so that it can be started again and again. Retention deletes what
// matches, so the match is strict: digits where digits must be, the same extension.
//
// A recording goes on behind the highest number too if it writes snapshots, and past names that
// others take while it runs: what it has received must not be lost for want of a name.

namespace kitbag {

namespace {

constexpr const char* kDefaultFormat = "mcap";
constexpr std::string_view kTimePattern = "dddd-dd-dd_dd-dd-dd";

/// "2026-11-20_14-30-00"
std::string time_name(Time now) {
  std::string name = format_time(now).substr(0, kTimePattern.size());
  for (char& c : name) {
    if (c == 'T') c = '_';
    if (c == ':') c = '-';
  }
  return name;
}

bool is_digits(std::string_view text) {
  for (char c : text) {
    if (!std::isdigit(static_cast<unsigned char>(c))) return false;
  }
  return !text.empty();
}

bool is_time_name(std::string_view stem) {
  if (stem.size() < kTimePattern.size()) return false;
  for (std::size_t i = 0; i < kTimePattern.size(); ++i) {
    bool is_right =
        kTimePattern[i] == 'd' ? is_digits(stem.substr(i, 1)) : stem[i] == kTimePattern[i];
    if (!is_right) return false;
  }
  std::string_view rest = stem.substr(kTimePattern.size());
  return rest.empty() || (rest.front() == '_' && is_digits(rest.substr(1)));
}

}  // namespace

FileNames::FileNames(const RecordTarget& target, bool is_many, const Session& session)
    : path_(target.path.empty() ? std::string() : session.path_of(target.path)),
      time_folder_(target.folder.empty() ? std::string() : session.path_of(target.folder)),
      files_(session.file_system(path_.empty() ? time_folder_ : path_)),
      is_many_(is_many || target.split.any() || target.path.empty()),
      may_replace_(target.write.may_replace) {
  std::string asked = target.write.format.empty() ? kDefaultFormat : target.write.format;
  bool has_extension = !extension(path_).empty();
  std::string named = path_.empty() ? "x" : path_;
  bool is_folder = !path_.empty() && path_.back() == '/';
  if (!is_folder && !path_.empty() && !has_extension && target.split.any()) path_ += '/';
  bool is_joined = target.joins && !is_folder && !path_.empty();
  if (is_joined) {
    auto there = files_->status(path_);
    if (there ? there->is_folder : !has_extension) path_ += '/';
  }
  is_directory_ = !path_.empty() && session.format_for(path_, asked).is_container;
  bool is_by_extension = has_extension && target.write.format.empty();
  format_ = is_by_extension ? session.format_for(path_).name : asked;
  if (path_ == "-") {
    throw Error(ErrorCode::invalid,
                "a recording cannot be written to standard output; write to a file");
  }
  if (target.joins && !is_directory_) {
    throw Error(ErrorCode::invalid,
                "only a directory can be recorded into by several; end its name with /",
                path_.empty() ? target.folder : path_);
  }
  if (is_directory_) return;
  const Format& format = session.format_for(named, format_);
  format_ = format.name;
  extension_ = format.extension;
  if (extension_.empty()) {
    throw Error(ErrorCode::invalid, fmt::format("the format {} cannot be recorded", format_));
  }
  if (!path_.empty() && !has_extension) path_ += extension_;
  bool goes_on = is_many || deletes_files(target) || target.uploader;
  if (goes_on && !may_replace_) index_ = index_behind_others();
}

/// Earlier recordings may have deleted their first files, so the first free number may be lower
/// than those of older files; the next one would meet them.
std::size_t FileNames::index_behind_others() const {
  std::size_t index = 0;
  if (path_.empty() || !is_many_) return index;
  for (const std::string& each : files_->list(folder())) {
    std::string_view name = each;
    if (name.ends_with(kActiveSuffix)) name.remove_suffix(std::strlen(kActiveSuffix));
    if (!is_like(std::string(name))) continue;
    std::string_view base = stem(name);
    std::string_view digits = base.substr(base.rfind('_') + 1);
    std::size_t number = 0;
    auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc() && number < SIZE_MAX) index = std::max(index, number + 1);
  }
  return index;
}

std::string FileNames::folder() const {
  if (path_.empty() && !time_folder_.empty()) return time_folder_;
  std::string target = is_directory_ ? without_slash(path_) : path_;
  std::string parent(parent_folder(target));
  return parent.empty() ? "." : parent;
}

std::string FileNames::path_of(const std::string& name) const {
  return join(path_.empty() ? std::string_view(time_folder_) : parent_folder(path_), name);
}

bool FileNames::exists(const std::string& path) const {
  return files_->status(path) || files_->status(path + kActiveSuffix);
}

/// Only a file is replaced, when the recording is complete.
bool FileNames::is_taken(const std::string& path) const {
  if (!may_replace_) return exists(path);
  auto there = files_->status(path);
  return (there && !there->is_regular) || files_->status(path + kActiveSuffix);
}

/// `path`, or a similar name that is free.
std::string FileNames::free_name(const std::string& path) const {
  std::string name = path;
  for (std::size_t number = 1; exists(name); ++number) name = split_path(path, number);
  return name;
}

/// Where files cannot be locked, somebody may just have begun it, so it stays.
bool FileNames::remove_if_empty(const std::string& path, const OnWarning& on_warning) const {
  auto is_empty = [&] {
    auto status = files_->status(path);
    return status && status->is_regular && status->size_bytes == 0;
  };
  if (!is_empty()) return false;
  bool is_locked = true;
  auto on_no_locks = [&](const Error&) { is_locked = false; };
  std::unique_ptr<FileLock> lock;
  try {
    lock = files_->lock(path, LockKind::exclusive, on_no_locks);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::busy) return false;
    throw;
  }
  // Asked once more under the lock: a recorder may have written its first bytes in between.
  if (!lock || !is_locked || !is_empty()) return false;
  files_->remove(path);
  if (on_warning) {
    on_warning(
        Error(ErrorCode::io, "removed; it was left behind by a program that was killed", path));
  }
  return true;
}

std::string FileNames::next(Time now, const OnWarning& on_warning) {
  if (path_.empty()) return free_name(path_of(time_name(now) + extension_));
  while (has_begun_ && is_many_ && is_taken(split_path(path_, index_))) ++index_;
  has_begun_ = true;
  std::string path = is_many_ ? split_path(path_, index_) : path_;
  ++index_;
  remove_if_empty(path + kActiveSuffix, on_warning);
  if (files_->status(path + kActiveSuffix)) {
    throw Error(ErrorCode::invalid,
                "an incomplete recording with this name exists; repair or remove the file that "
                "ends with .active",
                path);
  }
  // Only a file is replaced when the recording is complete.
  auto there = files_->status(path);
  if (there && !(may_replace_ && there->is_regular)) {
    throw Error(ErrorCode::exists, "already exists", path);
  }
  return path;
}

std::string FileNames::active(const std::string& path) const {
  return files_->can_rename() ? path + kActiveSuffix : path;
}

std::string FileNames::complete(const std::string& path, const FileId& written) const {
  if (!files_->can_rename()) return path;
  std::string from = active(path);
  auto now = files_->status(from);
  if (!now) {
    throw Error(ErrorCode::io,
                "the file was removed during the recording; the messages in it are lost", from);
  }
  if (now->id != written) {
    throw Error(
        ErrorCode::busy,
        "another program replaced the file during the recording; the recorded messages are lost",
        from);
  }
  return rename_active(path, may_replace_);
}

std::string FileNames::complete_leftover(const std::string& path) const {
  return rename_active(path, false);
}

std::string FileNames::rename_active(const std::string& path, bool may_replace) const {
  std::string from = active(path);
  try {
    std::string name = files_->status(path) && !may_replace ? free_name(path) : path;
    while (!files_->rename(from, name, may_replace && name == path)) name = free_name(path);
    return name;
  } catch (const Error& error) {
    throw Error(
        ErrorCode::io,
        fmt::format("the recording is complete, but cannot be renamed to its final name: {}",
                    error.message()),
        from);
  }
}

bool FileNames::is_like(const std::string& name) const {
  std::string_view base = stem(name);
  if (path_.empty()) return extension(name) == extension_ && is_time_name(base);
  std::size_t sign = base.rfind('_');
  return is_many_ && sign != std::string_view::npos && is_digits(base.substr(sign + 1)) &&
         base.substr(0, sign) == stem(path_) && extension(name) == extension(path_);
}

}  // namespace kitbag
