#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "io/local/write_lock.h"
#include "io/posix.h"
#include "kitbag/leave.h"

namespace kitbag {

/// A new file that is to become `path`: a hidden one beside it, ".run.bag.0f3a92c1.part", with the
/// owner and mode of what it replaces, and removed if it goes before publish(). Symbolic links are
/// followed. It has a name of its own instead of O_TMPFILE, which could not replace a target in one
/// step: linkat(2) refuses a name that exists.
///
/// What is replaced is locked from the start, shared: several may replace it, and the last one
/// does, but nobody replaces what another program is writing into.
class StagedFile {
 public:
  /// `may_replace` false: nothing may be at `path`, neither now nor at publish(). What crashed
  /// writers of `path` have left is removed, and reported to `on_warning`. Throws Error (io;
  /// not_found: there is no such folder; busy; exists).
  explicit StagedFile(const std::string& path, bool may_replace = true,
                      const OnWarning& on_warning = {});
  /// In the place of the file that `replaced` has locked, and of no other: publish() throws where
  /// somebody has put another there.
  StagedFile(const std::string& path, WriteLock replaced, const OnWarning& on_warning);
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;
  ~StagedFile();

  /// For those who open it by themselves.
  const std::string& name() const { return name_; }
  /// Open for reading and writing; it stays this one's.
  int descriptor() const { return file_.get(); }
  /// The same, of the caller. Throws Error (io).
  Descriptor copy_descriptor() const;
  /// Gives the file its name, and writes the folder to the disk; its content must be there already.
  /// Throws Error (io, busy, exists).
  void publish();

 private:
  StagedFile(const std::string& path, WriteLock replaced, bool may_replace, bool is_in_place);
  void create(const OnWarning& on_warning);
  void hold_replaced();
  [[noreturn]] void throw_created() const;

  std::string path_;
  std::filesystem::path target_;
  std::string name_;  ///< empty: it has become the target
  std::optional<OnLeave> on_leave_;
  Descriptor file_;  ///< locked, so that nobody removes it as a leftover
  WriteLock replaced_;
  bool may_replace_ = true;
  bool is_in_place_ = false;
};

/// Locks what is at `path`, if anything is, to be replaced; `held` where it has that already.
/// Throws Error (busy, io).
WriteLock lock_to_replace(const std::string& path, WriteLock held);

/// Gives an open file the owner and the mode of what it replaces, if anything, as far as the system
/// lets us. Throws Error (io).
void take_after(int file, const std::string& replaced);

}  // namespace kitbag
