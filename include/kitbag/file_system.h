#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/error.h"
#include "kitbag/export.h"
#include "kitbag/file.h"
#include "kitbag/time.h"

// A file system is a place where bags are stored: the disks of this machine, memory, a server.
// Formats and the recorder reach files through Session::file_system() only, so a bag can lie in any
// of them. A path is what the operating system calls a path, or a URI whose scheme names a file
// system, such as "memory://runs/drive.bag"; a file system is always given the whole URI.
//
// What is asked of a file system is little: bytes at offsets, and files that grow at their end and
// appear when they are complete. The rest is optional, and the default of each function says what
// happens without it. A file system is added to Registry::file_systems.

namespace kitbag {

/// Ends the name of a file that is being recorded, until the file is complete.
inline constexpr const char* kActiveSuffix = ".active";

/// Identifies a file, whatever its name is. The default: not known.
struct FileId {
  std::uint64_t volume = 0;  ///< the disk, for example
  std::uint64_t number = 0;  ///< of the file on it

  bool operator==(const FileId&) const = default;
};

/// What is at a path. Two values are equal if nothing has changed in between.
struct FileStatus {
  bool is_regular = false;       ///< a file, and no folder, pipe or device
  bool is_folder = false;        ///< a directory
  std::uint64_t size_bytes = 0;  ///< of the content
  Time modified{};               ///< when the content changed
  Time changed{};                ///< when the content or the attributes changed
  FileId id{};                   ///< which file it is, if that is known

  bool operator==(const FileStatus&) const = default;
};

/// What was found in a folder.
struct FolderEntry {
  std::string name;   ///< below the folder that was asked, with "/" between folders
  FileStatus status;  ///< of the file or folder
};
/// Receives what is found. What it throws ends the search.
using OnEntry = std::function<void(FolderEntry entry)>;

/// How a file is written.
struct WriteFileOptions {
  Io io = Io::automatic;  ///< how data reaches the disk
  /// True: the file is visible under its name from the beginning, and what was written stays
  /// without commit(). Nothing may be at the path. A file system that cannot do this ignores it.
  bool is_visible = false;
  /// False: nothing may be at the path, neither now nor at commit().
  bool may_replace = true;
  /// The final size, where it is known beforehand. A file system may use it to plan; a file of
  /// another size is written all the same. Absent: not known.
  std::optional<std::uint64_t> size_bytes = std::nullopt;
  /// Called for what else was found and done: leftovers removed, a file system without locks.
  OnWarning on_warning = {};
};

/// A file that is being written: the counterpart of ReadFile. Bytes are appended to its end, and
/// some may be rewritten. The file appears under its name at commit(), complete. Destroyed before
/// that, it leaves everything as it was. One thread at a time. Every failed call throws Error (io),
/// and all later calls throw the same Error.
class WriteFile {
 public:
  virtual ~WriteFile() = default;

  /// Returns the size of the file so far: the offset of the next append().
  virtual std::uint64_t size() const = 0;
  /// Appends the pieces one after the other.
  virtual void append(std::span<const ByteView> pieces) = 0;
  /// Overwrites bytes that were appended before. Throws Error: unsupported beyond
  /// rewritable_bytes().
  virtual void rewrite(std::uint64_t offset, ByteView bytes) = 0;
  /// Returns how many bytes from the beginning of the file rewrite() accepts. Files on a disk: all.
  virtual std::uint64_t rewritable_bytes() const { return UINT64_MAX; }
  /// Hands buffered data to the system.
  virtual void flush() = 0;
  /// flush(), and returns when the data is stored durably.
  virtual void sync() = 0;
  /// flush(), and begins to store the data durably. A failure is thrown by a later call.
  virtual void begin_sync() { sync(); }
  /// Completes the file: it is stored durably and visible under its name. No call may follow.
  virtual void commit() = 0;

  /// Appends `bytes`. Throws as the other append().
  void append(ByteView bytes) { append(std::span(&bytes, 1)); }
};

/// How FileSystem::lock() locks.
enum class LockKind {
  exclusive,  ///< of a writer that changes the file
  shared,     ///< of a writer that will replace the file; others may do so too
};

/// A lock on a file or folder. It keeps other writers away as long as it lives.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

/// Files and folders that appear together: they are written in a hidden place, and publish() gives
/// them their names. Without publish() nothing remains of them.
class Staging {
 public:
  virtual ~Staging() = default;

  /// Returns the path to which to write what is to become `target`. If `target` ends with "/", so
  /// does the result: it is a folder, which must not exist yet, unless it is empty. `may_replace`
  /// false: no file may be at `target`, neither now nor at publish(). Throws Error (busy, io,
  /// invalid, exists).
  virtual std::string place(const std::string& target, bool may_replace) = 0;
  /// The same for a file that exists and that `lock` holds. publish() replaces this file only.
  virtual std::string place_instead(const std::string& target, std::unique_ptr<FileLock> lock) = 0;
  /// Returns `error` with the final name of the file instead of the hidden one.
  virtual Error with_final_name(const Error& error) const = 0;
  /// Everything that was placed is complete and gets its name. Throws Error (io, busy, exists).
  virtual void publish() = 0;
};

/// A place for files. Every function throws Error (io) if the system refuses, with the path. Can be
/// used from any thread.
class KITBAG_API FileSystem {
 public:
  virtual ~FileSystem() = default;

  /// The scheme of its URIs, such as "memory"; "file" is the local file system.
  virtual std::string_view scheme() const = 0;
  /// Returns true if its paths are those of the operating system, which libraries that do their own
  /// input and output can open.
  virtual bool is_local() const { return false; }

  /// Returns what is at `path`, or nothing if nothing is. Follows symbolic links.
  virtual std::optional<FileStatus> status(const std::string& path) const = 0;
  /// Returns the names of everything in `folder`, in no particular order.
  virtual std::vector<std::string> list(const std::string& folder) const = 0;
  /// Opens a regular file. Throws Error (not_found).
  virtual std::shared_ptr<const ReadFile> open(const std::string& path) const = 0;

  /// Begins to write a file. Throws Error: exists, not_found (the folder), busy. Default: throws
  /// Error (unsupported), because the file system is read-only.
  virtual std::unique_ptr<WriteFile> create(const std::string& path,
                                            const WriteFileOptions& options) const;
  /// Removes a file; succeeds if there is none. Default: throws Error (unsupported).
  virtual void remove(const std::string& path) const;
  /// Creates a folder, unless it exists. Default: does nothing; folders are parts of names.
  virtual void make_folder(const std::string& path) const;
  /// Gives a file another name, in one step. Returns false, without an effect, if a file is at `to`
  /// and `may_replace` is false. Default: throws Error (unsupported); see can_rename().
  virtual bool rename(const std::string& from, const std::string& to, bool may_replace) const;
  /// Returns whether rename() works.
  virtual bool can_rename() const { return false; }
  /// Returns the bytes that can still be stored in `folder`. Default: UINT64_MAX.
  virtual std::uint64_t free_bytes(const std::string& folder) const;

  /// Locks the file or folder at `path`. Throws Error (busy, not_found). Default: returns null;
  /// writers are not kept apart.
  virtual std::unique_ptr<FileLock> lock(const std::string& path, LockKind kind,
                                         const OnWarning& on_warning) const;
  /// Continues the file at `path`, which `lock` holds exclusively, from the byte `end` on; what
  /// follows it was left by an append that was not completed and is removed, which is reported to
  /// `options.on_warning`. Readers see the file as it was until commit(). Everything appended must
  /// be synced before bytes before `end` are rewritten. Default: throws Error (unsupported).
  virtual std::unique_ptr<WriteFile> append(const std::string& path, std::uint64_t end,
                                            std::unique_ptr<FileLock> lock,
                                            const WriteFileOptions& options) const;
  /// Begins a set of files beside `path`. Default: each file appears when it is complete, and those
  /// that have appeared are removed again without publish().
  virtual std::unique_ptr<Staging> stage(const std::string& path,
                                         const OnWarning& on_warning) const;

  /// Returns whether the file at `path` has exactly the content of `file`; false if nothing is at
  /// `path`. A file system that keeps checksums compares these. Default: reads both. Throws Error
  /// (io).
  virtual bool has_content(const std::string& path, const ReadFile& file) const;
  /// Returns an address by which anybody can read the file over HTTP until `lifetime` has passed.
  /// Whoever has the address needs no key, so treat it as a secret. Whether the file exists is not
  /// asked. Throws Error (invalid) for a folder, or a lifetime that the file system cannot give.
  /// Default: nothing; the file system has no such addresses.
  virtual std::optional<std::string> link(const std::string& path, Duration lifetime) const;

  /// Calls `visit` for everything in `folder`, in no particular order, with its status. Links that
  /// lead nowhere are left out; an empty status is that of what cannot be looked at. Default:
  /// list() and status(); faster where a list says it all.
  virtual void visit(const std::string& folder, const OnEntry& visit) const;
  /// Calls `visit` for every file in `folder` and in the folders below it, but for no folder, in no
  /// particular order. Folders to which a link leads back are left out. Default: visit() for each
  /// folder.
  virtual void visit_below(const std::string& folder, const OnEntry& visit) const;
  /// Returns whether it has folders that list() knows. Default: true.
  virtual bool can_list() const { return true; }
};

using FileSystemPtr = std::shared_ptr<const FileSystem>;  ///< shared by sessions and bags

/// Returns the file system of this machine.
KITBAG_API FileSystemPtr local_file_system();
/// Returns a new file system in memory, with the scheme "memory". Its files live as long as it
/// does.
KITBAG_API FileSystemPtr memory_file_system();

}  // namespace kitbag
