#include "live/record/file_names.h"

#include <fmt/format.h>

#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "io/local/names.h"
#include "io/local/staged_name.h"
#include "kitbag/error.h"
#include "kitbag/open.h"
#include "kitbag/session.h"
#include "kitbag/text.h"

namespace kitbag {

namespace {

namespace fs = std::filesystem;

constexpr const char* kDefaultFormat = "mcap";
constexpr std::string_view kTimePattern = "dddd-dd-dd_dd-dd-dd";

bool exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error) || fs::exists(path + kActiveSuffix, error);
}

/// "2026-11-20_14-30-00"
std::string time_name(Time now) {
  std::string name = format_time(now).substr(0, kTimePattern.size());
  for (char& c : name) {
    if (c == 'T') c = '_';
    if (c == ':') c = '-';
  }
  return name;
}

/// `path`, or a name beside it that nobody has.
std::string free_name(const std::string& path) {
  std::string name = path;
  for (std::size_t number = 1; exists(name); ++number) name = split_path(path, number);
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
    : path_(target.path.empty() ? std::string() : path_of(target.path)),
      is_many_(is_many || target.split.any()),
      may_replace_(target.write.may_replace) {
  std::string asked = target.write.format.empty() ? kDefaultFormat : target.write.format;
  bool has_extension = !fs::path(path_).extension().empty();
  std::string named = path_.empty() ? "x" : path_;
  bool is_folder = !path_.empty() && path_.back() == '/';
  if (!is_folder && !path_.empty() && !has_extension && target.split.any()) path_ += '/';
  is_directory_ = !path_.empty() && session.format_for(path_, asked).is_container;
  bool is_by_extension = has_extension && target.write.format.empty();
  format_ = is_by_extension ? session.format_for(path_).name : asked;
  if (path_ == "-") {
    throw Error(ErrorCode::invalid,
                "a recording cannot be written to standard output; write to a file");
  }
  if (is_directory_) return;
  const Format& format = session.format_for(named, format_);
  format_ = format.name;
  extension_ = format.extension;
  if (extension_.empty()) {
    throw Error(ErrorCode::invalid, fmt::format("the format {} cannot be recorded", format_));
  }
  if (!path_.empty() && !has_extension) path_ += extension_;
}

std::string FileNames::folder() const {
  std::string parent = fs::path(path_).parent_path().string();
  if (is_directory_) parent = fs::path(path_).parent_path().parent_path().string();
  return parent.empty() ? "." : parent;
}

std::string FileNames::next(Time now, const OnProblem& on_warning) {
  if (path_.empty()) return free_name(time_name(now) + extension_);
  std::string path = is_many_ ? split_path(path_, index_) : path_;
  ++index_;
  remove_empty_leftover(path + kActiveSuffix, on_warning);
  std::error_code error;
  if (fs::exists(path + kActiveSuffix, error)) {
    throw Error(ErrorCode::invalid,
                "an incomplete recording with this name exists; repair or remove the file that "
                "ends with .active",
                path);
  }
  // Only a file is replaced when the recording is complete.
  if (fs::exists(path, error) && !(may_replace_ && fs::is_regular_file(path, error))) {
    throw Error(ErrorCode::exists, "already exists", path);
  }
  return path;
}

std::string FileNames::complete(const std::string& path, const FileIdentity& written,
                                bool may_replace) {
  std::string active = path + kActiveSuffix;
  FileIdentity now = identity_at(active);
  if (now != written && now != FileIdentity()) {
    throw Error(
        ErrorCode::busy,
        "another program replaced the file during the recording; the recorded messages are lost",
        active);
  }
  std::string name = path;
  int failure = may_replace ? rename_over(active, name) : rename_to_free(active, name);
  while (failure == EEXIST) {
    name = free_name(path);
    failure = rename_to_free(active, name);
  }
  if (failure != 0) {
    throw Error(
        ErrorCode::io,
        std::string("the recording is complete, but cannot be renamed to its final name: ") +
            std::strerror(failure),
        active);
  }
  return name;
}

bool FileNames::is_like(const std::string& name) const {
  fs::path file(name);
  std::string stem = file.stem().string();
  if (path_.empty()) return file.extension() == extension_ && is_time_name(stem);
  std::size_t sign = stem.rfind('_');
  return is_many_ && sign != std::string::npos && is_digits(stem.substr(sign + 1)) &&
         stem.substr(0, sign) == fs::path(path_).stem() &&
         file.extension() == fs::path(path_).extension();
}

}  // namespace kitbag
