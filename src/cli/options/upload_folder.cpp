#include "cli/options/upload_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kitbag/bag.h"
#include "kitbag/bag_folder.h"
#include "kitbag/error.h"
#include "kitbag/file_system.h"

// A folder may be written to while it is uploaded, by recorders and by programs that know nothing
// of kitbag. What is taken is what will not change any more:
//
//   a lock can be had               no recorder writes it; the lock is let go of at once
//   no .active at the end           its recorder has completed it
//   old enough                      for the programs without locks, while the folder is followed
//   a directory has metadata.yaml   and all its files open to their end
//
// Anything else is named with its reason, and looked at again the next time. The files of a
// directory are dated by its first file, so that all of them get the same {date}, and metadata.yaml
// is last: a target that has it has the bag.

namespace kitbag::cli {
namespace {

constexpr int kDeepestFolder = 32;  // a symbolic link may lead back
constexpr Duration kRest = std::chrono::seconds(10);
constexpr const char* kMetadataName = "metadata.yaml";

std::string joined(const std::string& folder, const std::string& name) {
  if (folder.empty()) return name;
  return folder + (folder.ends_with('/') ? "" : "/") + name;
}

}  // namespace

UploadFolder::UploadFolder(const std::string& path, const Session& session)
    : session_(session), folder_(session.path_of(path)), files_(session.file_system(folder_)) {
  auto there = files_->status(folder_);
  if (!there) throw Error(ErrorCode::not_found, "no such folder", path);
  if (!there->is_folder) throw Error(ErrorCode::invalid, "is not a folder", path);
  if (!is_bag_directory(folder_, session_)) return;
  while (folder_.size() > 1 && folder_.ends_with('/')) folder_.pop_back();
  std::size_t slash = folder_.rfind('/');
  only_ = folder_.substr(slash + 1);
  folder_ = slash == std::string::npos ? "." : folder_.substr(0, std::max<std::size_t>(slash, 1));
}

std::string UploadFolder::path_of(const std::string& name) const {
  return joined(folder_, name);
}

void UploadFolder::add_to(Uploader& uploader, bool only_at_rest) {
  uploader_ = &uploader;
  only_at_rest_ = only_at_rest;
  left_out_.clear();
  if (only_.empty()) {
    take_folder("", 0);
  } else {
    take_directory(only_);
  }
}

void UploadFolder::take_folder(const std::string& name, int depth) {
  if (depth > kDeepestFolder) {
    left_out_.push_back(fmt::format("{}: too many folders in folders", path_of(name)));
    return;
  }
  std::vector<std::string> names = files_->list(name.empty() ? folder_ : path_of(name));
  std::sort(names.begin(), names.end());
  for (const std::string& each : names) {
    if (each.starts_with('.')) continue;
    std::string inner = joined(name, each);
    auto status = files_->status(path_of(inner));
    if (!status) continue;
    if (status->is_regular) {
      take_file(inner);
    } else if (!status->is_folder) {
      continue;
    } else if (is_bag_directory(path_of(inner), session_)) {
      take_directory(inner);
    } else {
      take_folder(inner, depth + 1);
    }
  }
}

bool UploadFolder::is_being_written(const std::string& path) const {
  try {
    // A file system without locks grants it, and the age has to do.
    auto lock = files_->lock(path, LockKind::shared, [](const Error&) {});
    return false;
  } catch (const Error& error) {
    return error.code() == ErrorCode::busy;
  }
}

/// False: it has been put down why not.
bool UploadFolder::is_complete(const std::string& name) {
  std::string path = path_of(name);
  auto status = files_->status(path);
  if (!status) return false;
  if (is_being_written(path)) {
    left_out_.push_back(path + ": is being written");
    return false;
  }
  if (name.ends_with(kActiveSuffix)) {
    std::string whole = path.substr(0, path.size() - std::string_view(kActiveSuffix).size());
    left_out_.push_back(fmt::format("{}: the recording is incomplete; kitbag repair {} {} saves it",
                                    path, path, whole));
    return false;
  }
  Time now = session_.clock()->wall();
  return !only_at_rest_ || status->is_folder || now - status->modified > kRest;
}

void UploadFolder::take_file(const std::string& name) {
  if (!is_complete(name)) return;
  groups_[name] = {name};
  uploader_->add({.folder = folder_, .name = name});
}

void UploadFolder::leave_out_incomplete(const std::string& path) {
  left_out_.push_back(
      fmt::format("{}: the recording is incomplete; kitbag repair {} saves it", path, path));
}

/// A recorder that was killed has left its last file without an end. False: it has been put down.
bool UploadFolder::is_whole(const std::string& name, const std::vector<std::string>& members) {
  for (const std::string& each : members) {
    if (each == kMetadataName) continue;
    bool is_damaged = false;
    ReadOptions options;
    options.on_problem = [&](const Error& problem) {
      is_damaged = is_damaged || problem.code() == ErrorCode::truncated;
    };
    try {
      session_.open(path_of(joined(name, each)), options);
    } catch (const Error& error) {
      if (is_final(error.code())) throw;
      continue;  // no bag
    }
    if (is_damaged) return leave_out_incomplete(path_of(name)), false;
  }
  return true;
}

void UploadFolder::take_directory(const std::string& name) {
  if (!is_complete(name)) return;
  std::vector<std::string> names = files_->list(path_of(name));
  std::erase_if(names, [&](const std::string& each) {
    auto status = files_->status(path_of(joined(name, each)));
    return each.starts_with('.') || !status || !status->is_regular;
  });
  std::sort(names.begin(), names.end());
  auto metadata = std::find(names.begin(), names.end(), kMetadataName);
  if (metadata == names.end()) return leave_out_incomplete(path_of(name));
  // To look into the files takes opening them; not again for each look at a directory that is
  // uploaded.
  bool is_known = std::all_of(names.begin(), names.end(), [&](const std::string& each) {
    return uploader_->is_uploaded(path_of(joined(name, each)));
  });
  if (!is_known && !is_whole(name, names)) return;
  std::rotate(metadata, metadata + 1, names.end());
  for (const std::string& each : names) {
    if (!is_complete(joined(name, each))) return;
  }
  auto& group = groups_[name];
  group.clear();
  std::string first = joined(name, names.front());
  for (const std::string& each : names) {
    group.push_back(joined(name, each));
    uploader_->add({.folder = folder_,
                    .name = group.back(),
                    .dated_by = first,
                    .is_last = each == kMetadataName});
  }
}

void UploadFolder::remove_uploaded(Uploader& uploader) {
  std::erase_if(groups_, [&](const auto& group) {
    const auto& [name, members] = group;
    bool is_whole = std::all_of(members.begin(), members.end(), [&](const std::string& member) {
      return uploader.is_uploaded(path_of(member));
    });
    if (!is_whole) return false;
    // The first file, which dates the others, and metadata.yaml go last: what a kill in between
    // leaves has the same names in the target when it is added again.
    for (auto member = members.rbegin(); member != members.rend(); ++member) {
      bool is_kept = *member == members.front() || *member == members.back();
      if (!is_kept) files_->remove(path_of(*member));
    }
    files_->remove(path_of(members.front()));
    if (members.size() > 1) files_->remove(path_of(members.back()));
    bool is_directory = members.front() != name;
    if (is_directory && files_->list(path_of(name)).empty()) files_->remove(path_of(name));
    return true;
  });
}

}  // namespace kitbag::cli
