#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "io/memory_content.h"
#include "kitbag/file_system.h"

// Files are kept by their whole URI. A folder is the beginning of the names of its files, and is
// kept by itself only if it was created. A file that is replaced, removed or renamed lives on for
// those that have it open, as on a disk.

namespace kitbag::memory {

/// The names of files and folders, and who has locked them. Paths do not end with "/". Any thread.
class Names {
 public:
  /// A file that has no name yet.
  ContentPtr make_content() { return std::make_shared<Content>(++last_number_); }
  /// A number that is returned only once.
  std::uint64_t next_number() { return ++last_number_; }

  /// Null: there is no such file.
  ContentPtr find(const std::string& path) const;
  bool is_folder(const std::string& path) const;
  void make_folder(const std::string& path);
  /// The names of what is in `folder`, each once.
  std::vector<std::string> list(const std::string& folder) const;

  /// False: something is there and may not be replaced.
  bool put(const std::string& path, ContentPtr content, bool may_replace);
  /// A file, or a folder that was created.
  void remove(const std::string& path);
  /// `folder` and all that is in it.
  void remove_below(const std::string& folder);
  /// False: something is at `to` and may not be replaced. Throws Error (not_found).
  bool rename(const std::string& from, const std::string& to, bool may_replace);

  /// How one of a set of files becomes visible.
  struct Move {
    std::string from;
    std::string to;
    bool may_replace;
    bool is_folder;
    ContentPtr replaced;  ///< the only file that may be replaced; null: any
  };
  /// All of them or none. Throws Error (invalid, exists, busy, io).
  void move_all(const std::vector<Move>& moves);

  /// False: another writer has it.
  bool try_lock(const std::string& path, LockKind kind);
  void unlock(const std::string& path);

 private:
  // Each of these is called with `mutex_` held.
  bool has_below(const std::string& folder) const;
  bool is_folder_now(const std::string& path) const;
  void require_movable(const Move& move) const;
  void move_folder(const std::string& from, const std::string& to);

  mutable std::mutex mutex_;
  std::map<std::string, ContentPtr> files_;
  std::set<std::string> folders_;
  std::map<std::string, int> holders_;  ///< of locks; -1: one alone
  std::atomic<std::uint64_t> last_number_ = 0;
};

using NamesPtr = std::shared_ptr<Names>;

}  // namespace kitbag::memory
