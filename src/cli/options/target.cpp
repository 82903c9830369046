#include "cli/options/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "cli/terminal/print.h"
#include "kitbag/open.h"
#include "kitbag/rewrite.h"

// Checks come before anything is opened or read, as a conversion may take hours. The input must not
// be among the files that are replaced, whatever its path looks like: files are compared by
// identity, so links and "./" do not matter.
//
// For a split, every file of its pattern is at stake, not only the first. Files of an earlier split
// with more parts are not deleted, but a warning names them: read together, old and new parts would
// mix.

namespace kitbag::cli {
namespace {

namespace fs = std::filesystem;

/// The number that makes `split_path(path, number)` the file `name`; nothing for other files.
std::optional<std::size_t> split_index(const std::string& path, const fs::path& file) {
  std::string stem = file.stem().string();
  std::size_t underscore = stem.rfind('_');
  if (underscore == std::string::npos) return std::nullopt;
  std::size_t index = 0;
  const char* end = stem.data() + stem.size();
  auto [rest, error] = std::from_chars(stem.data() + underscore + 1, end, index);
  if (error != std::errc() || rest != end) return std::nullopt;
  // The name is made again from the number, so "run_01.bag" and "run_1.mcap" are none of ours.
  bool is_ours = fs::path(split_path(path, index)).filename() == file.filename();
  return is_ours ? std::optional(index) : std::nullopt;
}

/// The status of `path`; nothing if the file system refuses: writing there reports the reason.
std::optional<FileStatus> status_of(const std::string& path, const Session& session) {
  if (path == "-") return std::nullopt;
  try {
    return session.file_system(path)->status(path);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// As status_of().
std::vector<std::string> names_in(const std::string& folder, const Session& session) {
  try {
    return session.file_system(folder)->list(folder);
  } catch (const Error&) {
    return {};
  }
}

/// Files that exist under the names of a split to `path` (no URI), by index.
std::vector<std::pair<std::size_t, fs::path>> split_files(const std::string& path,
                                                          const Session& session) {
  std::vector<std::pair<std::size_t, fs::path>> files;
  fs::path folder = fs::path(path).parent_path();
  for (const std::string& name : names_in(folder.empty() ? "." : folder.string(), session)) {
    if (auto index = split_index(path, name)) files.emplace_back(*index, folder / name);
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Files that writing `target` would replace or change.
std::vector<fs::path> files_at_stake(const TargetOptions& target, const Session& session) {
  std::vector<fs::path> files;
  std::string path = session.path_of(target.path);
  if (target.split.any()) {
    for (auto& [index, file] : split_files(path, session)) files.push_back(std::move(file));
  } else if (status_of(path, session)) {
    files.emplace_back(path);
  }
  return files;
}

/// Of a file, or of all that is in a folder.
std::uint64_t size_of(const std::string& path, const Session& session) {
  auto status = status_of(path, session);
  if (!status) return 0;
  if (!status->is_folder) return status->size_bytes;
  std::uint64_t size = 0;
  for (const std::string& name : names_in(path, session)) {
    size += size_of((fs::path(path) / name).string(), session);
  }
  return size;
}

/// False for the URI of a live system too.
bool is_one_file(const std::string& input, const std::string& file, const Session& session) {
  // path_of() would refuse the URI of a live system.
  bool is_uri = location_of(input).has_value();
  auto there = status_of(is_uri ? input : session.path_of(input), session);
  auto other = status_of(file, session);
  return there && other && there->id == other->id && there->id != FileId();
}

std::unique_ptr<Writer> appending_to(const std::string& path, const WriteOptions& options,
                                     const Session& session) {
  try {
    return session.append(path, options);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
    throw Error(error.code(), error.message() + "; leave out --append to create it", error.file());
  }
}

}  // namespace

void check_target(const TargetOptions& target, std::span<const std::string> inputs,
                  const Session& session) {
  if (target.path == "-" && (target.split.any() || target.append)) {
    throw Error(ErrorCode::invalid,
                "standard output cannot be split or appended to; write to a file", target.path);
  }
  if (target.is_in_place) return;
  for (const fs::path& file : files_at_stake(target, session)) {
    for (const std::string& input : inputs) {
      if (!is_one_file(input, file.string(), session)) continue;
      throw Error(ErrorCode::invalid,
                  fmt::format("is also the input {}; choose another target", input), file.string());
    }
    auto there = status_of(file.string(), session);
    if (target.append || target.write.may_replace || !there || !there->is_regular) continue;
    throw Error(ErrorCode::exists, "already exists", file.string());
  }
}

Target::Target(const TargetOptions& options, const Context& context)
    : options_(options), context_(context) {
  options_.write.on_warning = [this](const Error& problem) { left_out_.push_back(problem); };
  if (options.split.any()) {
    // A directory of rosbag2 is one target, whose files its writer names; other formats give a file
    // for each part.
    bool is_one = context.session.format_for(options.path, options_.write.format).is_container;
    auto files = split_to(options.path, options_.write, context.session);
    if (is_one) files_ = {options.path};
    files.next = [this, next = files.next, is_one](std::size_t index) {
      auto writer = next(index);
      if (!is_one) files_.push_back(split_path(options_.path, index));
      return writer;
    };
    sink_ = split(options.split, std::move(files));
    return;
  }
  files_ = {options.path};
  if (options.is_in_place) {
    sink_ = rewrite(options.path, options_.write, context.session);
  } else if (options.append) {
    sink_ = appending_to(options.path, options_.write, context.session);
  } else {
    sink_ = context.session.create(options.path, options_.write);
  }
}

void Target::close() {
  sink_->close();
  if (options_.split.any()) warn_of_leftovers();
  print_warnings_of_files(left_out_);
}

void Target::warn_of_leftovers() const {
  auto files = split_files(context_.session.path_of(options_.path), context_.session);
  std::erase_if(files, [this](const auto& file) { return file.first < files_.size(); });
  if (files.empty()) return;
  std::string more;
  if (files.size() > 1) more = fmt::format(" and {}", counted(files.size() - 1, "more file"));
  print_warning(
      fmt::format("{}{} remain from an earlier split", files.front().second.string(), more));
}

std::string Target::name() const {
  if (files_.size() <= 1) return files_.empty() ? options_.path : files_.front();
  return fmt::format("{} to {}", files_.front(), files_.back());
}

std::uint64_t Target::size_bytes() const {
  std::uint64_t size = 0;
  for (const std::string& file : files_)
    size += size_of(context_.session.path_of(file), context_.session);
  return size;
}

}  // namespace kitbag::cli
