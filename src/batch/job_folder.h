#pragma once

#include <memory>
#include <string>
#include <vector>

#include "batch/record.h"
#include "kitbag/batch.h"
#include "kitbag/file_system.h"
#include "kitbag/session.h"

namespace kitbag::batch {

/// The folder in which a job keeps what is known of it, in any file system:
///
///   job        the request, a field on each line
///   records/   what became of the bags (Journal)
///   runs/      the tasks of an array job, one file each
///   slurm      the number of the last array job, and its run
///   made/      on this machine only: what is made to be compared, while that is done
class JobFolder {
 public:
  JobFolder(std::string path, const Session& session);

  const std::string& path() const { return path_; }
  std::string path_of(std::string_view name) const;
  const FileSystem& files() const { return *files_; }

  /// Makes the folder, or throws Error (invalid) if it is that of another request.
  void create(const BatchRequest& request);
  /// Returns the request of the job. Throws Error (not_found, corrupt).
  BatchRequest request() const;
  /// Keeps other runs away as long as the result lives, where the file system has locks. Throws
  /// Error (busy).
  std::unique_ptr<FileLock> lock(const OnWarning& on_warning) const;

  /// Returns the content of a file in the folder; empty if there is none. Throws Error (io).
  std::string text_of(std::string_view name) const;
  /// Writes a file in the folder, in place of one that is there.
  void put(std::string_view name, std::string_view text) const;

 private:
  std::string path_;
  FileSystemPtr files_;
};

/// Returns the text of `request` in the file `job`.
std::string text_of(const BatchRequest& request);

}  // namespace kitbag::batch
