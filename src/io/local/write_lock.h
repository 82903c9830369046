#pragma once

#include <sys/stat.h>

#include <string>

#include "io/posix.h"
#include "kitbag/file_system.h"

// Writers of one file or folder keep away from each other by locks of the system. A lock belongs to
// an open file description: it ends when its process does, however that ends, and nothing has to be
// removed then. Readers take no locks and never wait. docs/decisions/013 gives the reasons.

namespace kitbag {

/// Which file or folder it is, whatever it is called.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;

  bool operator==(const FileIdentity&) const = default;
};
/// Of an open file. Throws Error (io).
FileIdentity identity_of(int file, const std::string& path);
/// Of what is at `path`; a default one where nothing is. Throws Error (io).
FileIdentity identity_at(const std::string& path);

enum class Locked {
  yes,
  busy,         ///< another writer has it
  unsupported,  ///< the file system has no locks
};

/// Locks an open file. The lock lasts until the last descriptor of this open file is closed. An
/// exclusive lock needs a file that is open for writing, a shared one a file open for reading.
Locked lock_file(int file, LockKind kind);
/// Locks an open folder.
Locked lock_folder(int folder, LockKind kind = LockKind::exclusive);

/// As lock_file(), for the file that was opened at `path`. A file system without locks is reported
/// to `on_warning`, if there is one. False: `path` leads to another file by now; open it again.
/// Throws Error (busy, io).
bool lock_opened(int file, LockKind kind, const std::string& path, const OnWarning& on_warning);

/// Error (busy) about `path`.
Error busy_error(const std::string& path);

/// A lock on the file or folder at a path, for as long as it lives.
class WriteLock {
 public:
  WriteLock() = default;
  /// Throws Error (busy, io, not_found).
  static WriteLock of_file(const std::string& path, LockKind kind, const OnWarning& on_warning);
  static WriteLock of_folder(const std::string& path, const OnWarning& on_warning,
                             LockKind kind = LockKind::exclusive);

  explicit operator bool() const { return static_cast<bool>(file_); }
  /// Is what it has locked still what is at `path`?
  bool holds(const std::string& path) const { return identity_ == identity_at(path); }
  /// The open file; it stays the lock's.
  int descriptor() const { return file_.get(); }
  /// Releases the open file, and the lock with it, to the caller.
  Descriptor take_descriptor() { return std::move(file_); }

 private:
  WriteLock(Descriptor file, FileIdentity identity) : file_(std::move(file)), identity_(identity) {}

  Descriptor file_;
  FileIdentity identity_;
};

/// A WriteLock as the file system of this machine gives it out.
class LocalLock final : public FileLock {
 public:
  explicit LocalLock(WriteLock held) : lock(std::move(held)) {}

  WriteLock lock;
};

}  // namespace kitbag
