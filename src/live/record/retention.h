#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/thread_pool.h"
#include "kitbag/record.h"
#include "live/record/file_names.h"

namespace kitbag {

/// Lets the oldest files of a recording go. Files that earlier recordings of the same kind have
/// left count too, but not in a directory, which is always new. They go on a thread of its own: on
/// some file systems that takes longer than a recorder can wait.
class FileRetention {
 public:
  /// `remove_part` is called for a file that is to go; where it throws, the file stays. Empty:
  /// nothing else knows of the files.
  FileRetention(const Retention& keep, const FileNames& names, FileSystemPtr files,
                std::function<void(const std::string&)> remove_part = {});

  /// A file is complete, with this many messages of this recording.
  void add(const std::string& path, std::uint64_t messages, Time now);
  /// `open_bytes`: of the open file, where there is one. True: something went.
  bool enforce(std::optional<std::uint64_t> open_bytes, Time now);
  /// Of all files, the oldest goes, whatever the limits. False: there is none.
  bool drop_oldest();
  /// What could not be done since the last call.
  std::vector<Error> take_errors();

  /// What has gone since the last call.
  struct Gone {
    std::vector<std::string> files;
    std::uint64_t messages = 0;
  };
  Gone take_gone() { return std::exchange(gone_, {}); }

 private:
  struct File {
    std::string path;
    std::uint64_t bytes;
    std::uint64_t messages;
    Time closed;
  };

  void tell(const Error& error);
  bool is_too_much(std::optional<std::uint64_t> open_bytes, Time now) const;

  Retention keep_;
  FileSystemPtr system_;
  std::function<void(const std::string&)> remove_part_;
  std::deque<File> files_;  ///< the oldest first
  std::uint64_t bytes_ = 0;
  Gone gone_;
  std::mutex mutex_;
  std::vector<Error> errors_;
  ThreadPool remover_{1};  ///< last: it ends before what it reports to
};

}  // namespace kitbag
