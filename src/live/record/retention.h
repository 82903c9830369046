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
///
/// A file that somebody reads (FileLeases) is passed over for the next oldest. Where all are being
/// read, the oldest loses its name; its space is free when its last reader has gone, and until then
/// it counts.
///
/// A file that still has to be uploaded is never deleted (RecordTarget::uploader), whatever the
/// limits are.
class FileRetention {
 public:
  /// `remove_part` is called for a file that is to go; where it throws, the file stays. Empty:
  /// nothing else knows of the files.
  FileRetention(const RecordTarget& target, const FileNames& names,
                std::function<void(const std::string&)> remove_part = {});

  /// A file is complete, with this many messages of this recording.
  void add(const std::string& path, std::uint64_t messages, Time closed);
  /// Deletes what exceeds the limits. `open_bytes`: of the open file, where there is one.
  void enforce(std::optional<std::uint64_t> open_bytes, Time now);
  /// The disk is nearly full: makes room, whatever the limits: deleted files that are still being
  /// read, then the oldest file. False: there is none.
  bool make_room();
  /// Returns when all that has been dropped is deleted.
  void await_removed();
  /// What could not be done since the last call.
  std::vector<Error> take_errors();
  /// What has gone since the last call.
  std::vector<DeletedFile> take_gone() { return std::exchange(gone_, {}); }
  /// Of deleted files that are still being read.
  std::uint64_t leased_bytes() const;

 private:
  struct File {
    std::string path;
    FileId id;
    std::uint64_t bytes;
    std::uint64_t messages;
    Time closed;
  };
  using Files = std::deque<File>;

  bool is_leased(const FileId& file) const;
  /// It exists nowhere else yet.
  bool must_stay(const File& file) const;
  /// The oldest that may go, one that nobody reads if there is any; end(): none may.
  Files::iterator next_to_go();
  void drop(Files::iterator file, const std::string& reason);
  void drop_too_old(Time now);
  void drop_too_many(std::size_t open_files);
  void drop_too_large(std::uint64_t open_bytes);
  void tell_too_large(const File& last);
  void tell(const Error& error);

  Retention keep_;
  FileSystemPtr system_;
  std::shared_ptr<FileLeases> leases_;  ///< null: nobody reads
  std::shared_ptr<Uploader> uploader_;  ///< null: nothing is uploaded
  std::function<void(const std::string&)> remove_part_;
  Files files_;  ///< the oldest first
  std::uint64_t bytes_ = 0;
  bool has_open_ = false;
  std::string too_large_;  ///< the last file that was reported
  Files leased_;           ///< deleted, and still being read
  std::vector<DeletedFile> gone_;
  std::mutex mutex_;
  std::vector<Error> errors_;
  ThreadPool remover_{1};  ///< last: it ends before what it reports to
};

}  // namespace kitbag
