#pragma once

#include <filesystem>
#include <string>

#include "io/posix.h"

namespace kitbag {

/// A new file that is to become `path`: a hidden one beside it, ".run.bag.0f3a92c1.part", with the
/// owner and mode of what it replaces, and removed if it goes before publish(). Symbolic links are
/// followed. It has a name of its own instead of O_TMPFILE, which could not replace a target in one
/// step: linkat(2) refuses a name that exists.
class StagedFile {
 public:
  /// Throws Error (io; not_found: there is no such folder).
  explicit StagedFile(const std::string& path);
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;
  ~StagedFile();

  /// For those who open it by themselves.
  const std::string& name() const { return name_; }
  /// Open for reading and writing; once.
  Descriptor take_descriptor() { return std::move(file_); }
  /// Gives the file its name, and writes the folder to the disk; its content must be there already.
  /// Throws Error (io).
  void publish();

 private:
  std::string path_;
  std::filesystem::path target_;
  std::string name_;  ///< empty: it has become the target
  Descriptor file_;
};

}  // namespace kitbag
