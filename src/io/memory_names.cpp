#include "io/memory_names.h"

#include <utility>

#include "kitbag/error.h"

// Names are paths as text, in one map. A folder is there if it was made, or if a file lies below
// it, as in an object store. Since the map is sorted, what lies below a folder is one range of it.
//
// Every member takes the lock once and does all of its work under it. So a set of files gets its
// names in one step, which no disk can do: move_all() checks all moves before it makes the first
// one.
//
// A lock is a number beside the name: -1 for an exclusive holder, else the number of shared ones.

namespace kitbag::memory {

ContentPtr Names::find(const std::string& path) const {
  std::lock_guard lock(mutex_);
  auto known = files_.find(path);
  return known == files_.end() ? nullptr : known->second;
}

bool Names::is_folder(const std::string& path) const {
  std::lock_guard lock(mutex_);
  return is_folder_now(path);
}

void Names::make_folder(const std::string& path) {
  std::lock_guard lock(mutex_);
  folders_.insert(path);
}

std::vector<std::string> Names::list(const std::string& folder) const {
  std::lock_guard lock(mutex_);
  std::string prefix = folder.ends_with('/') ? folder : folder + "/";
  std::set<std::string> names;
  auto take = [&](const std::string& path) {
    if (path.size() <= prefix.size() || !path.starts_with(prefix)) return;
    std::string rest = path.substr(prefix.size());
    names.insert(rest.substr(0, rest.find('/')));
  };
  for (const auto& [path, content] : files_) take(path);
  for (const std::string& path : folders_) take(path);
  return {names.begin(), names.end()};
}

bool Names::put(const std::string& path, ContentPtr content, bool may_replace) {
  std::lock_guard lock(mutex_);
  if (is_folder_now(path) || (!may_replace && files_.contains(path))) return false;
  files_[path] = std::move(content);
  return true;
}

void Names::remove(const std::string& path) {
  std::lock_guard lock(mutex_);
  if (files_.erase(path) == 0) folders_.erase(path);
}

void Names::remove_below(const std::string& folder) {
  std::lock_guard lock(mutex_);
  std::string prefix = folder + "/";
  std::erase_if(files_, [&](const auto& file) { return file.first.starts_with(prefix); });
  std::erase_if(folders_, [&](const std::string& path) {
    return path == folder || path.starts_with(prefix);
  });
}

bool Names::rename(const std::string& from, const std::string& to, bool may_replace) {
  std::lock_guard lock(mutex_);
  auto file = files_.find(from);
  if (file == files_.end()) throw Error(ErrorCode::not_found, "no such file", from);
  if (is_folder_now(to) || (!may_replace && files_.contains(to))) return false;
  ContentPtr content = std::move(file->second);
  files_.erase(file);
  files_[to] = std::move(content);
  return true;
}

void Names::move_all(const std::vector<Move>& moves) {
  std::lock_guard lock(mutex_);
  for (const Move& move : moves) require_movable(move);
  for (const Move& move : moves) {
    if (!move.is_folder) {
      files_[move.to] = std::exchange(files_[move.from], nullptr);
      files_.erase(move.from);
      continue;
    }
    move_folder(move.from, move.to);
  }
}

bool Names::try_lock(const std::string& path, LockKind kind) {
  std::lock_guard lock(mutex_);
  int& holders = holders_[path];
  if (holders < 0 || (holders > 0 && kind == LockKind::exclusive)) return false;
  holders = kind == LockKind::exclusive ? -1 : holders + 1;
  return true;
}

void Names::unlock(const std::string& path) {
  std::lock_guard lock(mutex_);
  auto holders = holders_.find(path);
  holders->second = holders->second < 0 ? 0 : holders->second - 1;
  if (holders->second == 0) holders_.erase(holders);
}

bool Names::has_below(const std::string& folder) const {
  std::string prefix = folder + "/";
  auto next = files_.upper_bound(prefix);
  return next != files_.end() && next->first.starts_with(prefix);
}

bool Names::is_folder_now(const std::string& path) const {
  return folders_.contains(path) || path.ends_with("://") || has_below(path);
}

void Names::require_movable(const Move& move) const {
  if (move.is_folder) {
    if (!files_.contains(move.to) && !has_below(move.to)) return;
    throw Error(ErrorCode::invalid, "already exists; a directory is not replaced", move.to);
  }
  if (is_folder_now(move.to)) throw Error(ErrorCode::io, "is a directory", move.to);
  auto there = files_.find(move.to);
  if (there == files_.end()) return;
  if (!move.may_replace) throw Error(ErrorCode::exists, "already exists", move.to);
  if (move.replaced && there->second != move.replaced) {
    throw Error(ErrorCode::busy, "was replaced by another program in the meantime", move.to);
  }
}

void Names::move_folder(const std::string& from, const std::string& to) {
  std::string prefix = from + "/";
  for (auto it = files_.lower_bound(prefix); it != files_.end() && it->first.starts_with(prefix);
       it = files_.erase(it)) {
    files_[to + "/" + it->first.substr(prefix.size())] = std::move(it->second);
  }
  folders_.erase(from);
  folders_.insert(to);
}

}  // namespace kitbag::memory
