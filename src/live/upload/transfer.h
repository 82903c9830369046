#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "kitbag/session.h"
#include "kitbag/upload.h"
#include "live/upload/bandwidth.h"
#include "live/upload/target_names.h"

namespace kitbag {

/// Brings single files into the target of uploads. One thread.
class Transfer {
 public:
  /// `on_warning` is called when a file cannot have its own name in the target.
  Transfer(TargetNames names, std::optional<std::uint64_t> bytes_per_second, Session session,
           OnWarning on_warning);

  const TargetNames& names() const { return names_; }
  /// Returns the pattern of the names, so that it means the same in every folder.
  std::string place() const;
  /// Writes a small file to the target and removes it, to find out whether that is allowed. Throws
  /// Error.
  void check() const;
  /// Returns whether the target has a file of this size at the path, which bring() has returned.
  bool is_there(const std::string& path, std::uint64_t size_bytes) const;
  /// Returns when the content of the file, whose status is `local`, was verified in the target.
  /// `on_sent` is called with the bytes that were sent so far. Throws Error: cancelled; otherwise
  /// its file is that of the source if the source has failed.
  UploadedFile bring(const UploadFile& file, const FileStatus& local,
                     const std::function<void(std::uint64_t)>& on_sent,
                     const std::stop_token& stop);

 private:
  std::string path_in(const std::string& target) const;
  Time begin_of(const UploadFile& file, const FileStatus& local) const;
  void require_other_file(const std::string& to, const FileSystem& files,
                          const FileStatus& local) const;
  void send(const ReadFile& source, const std::string& path, const std::string& to,
            const std::function<void(std::uint64_t)>& on_sent, const std::stop_token& stop);

  TargetNames names_;
  Session session_;
  std::string base_;  ///< what must be there
  FileSystemPtr target_;
  Bandwidth bandwidth_;
  OnWarning on_warning_;
};

}  // namespace kitbag
