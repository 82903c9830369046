#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kitbag/bag.h"
#include "kitbag/file_system.h"
#include "kitbag/session.h"

namespace kitbag::directory {

/// One of several writers of a directory: its files, one after the other. From the first file on it
/// keeps away writers that need the directory alone, also between two files.
class Joined {
 public:
  /// As join_to() (join.h).
  Joined(const std::string& directory, const WriteOptions& options, const Session& session);

  /// Begins the next file, which is in metadata.yaml from now on. Throws Error as join_to() says.
  std::unique_ptr<Writer> next();
  /// The path of the file that was begun last.
  const std::string& newest() const { return newest_; }
  /// After the last file.
  void release() { lock_.reset(); }

 private:
  std::string path_;
  WriteOptions options_;
  Session session_;
  std::string writer_;
  std::unique_ptr<FileLock> lock_;
  std::uint64_t next_ = 0;
  std::string newest_;
};

}  // namespace kitbag::directory
