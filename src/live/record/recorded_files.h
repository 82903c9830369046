#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/pipeline.h"
#include "kitbag/record.h"
#include "kitbag/session.h"
#include "live/record/file_names.h"
#include "live/record/latched_memory.h"
#include "live/record/leftovers.h"
#include "live/record/retention.h"
#include "storage/directory/joined.h"

namespace kitbag {

/// The files of a recording. They are written one after the other, under names that mark them as
/// incomplete, repeat the latched messages of earlier files, and get their final names when they
/// are complete; the oldest are deleted when there are too many or the disk is full. One thread at
/// a time.
class RecordedFiles {
 public:
  /// Called when a file is complete or another one begins.
  using OnChange = std::function<void(const FileChange&)>;

  /// `memory` is what an earlier recording has remembered; null: nothing. `on_change` may be empty.
  /// Throws Error (invalid) for an invalid target.
  RecordedFiles(const RecordOptions& options, const Session& session, OnChange on_change,
                std::shared_ptr<LatchedMemory> memory = nullptr);

  /// Returns a sink that writes files, split as the target says; one for each snapshot.
  /// RecordedFiles must outlive it.
  std::unique_ptr<Sink> begin();
  /// To be called with every batch before it is written: makes room in it for repeats.
  void widen(Batch& batch) {
    if (repeats_) memory_->widen(batch);
  }
  /// Messages that are in no file count as earlier ones: they are repeated if they are latched.
  void remember(Batch&& unwritten);
  /// What files that begin later repeat.
  const std::shared_ptr<LatchedMemory>& memory() const { return memory_; }

  /// Deletes what exceeds the limits, and more for the sake of the disk if the recording
  /// `is_going_on`: what it has stored stays at its end. False: the disk is full nevertheless.
  bool make_room(bool is_going_on);
  /// Deletes what exceeds the limits now that the recording is over, and returns when it is gone.
  void purge();
  /// The open file can be completed, and begin() called again.
  bool can_split() const { return names_.is_many() || names_.is_directory(); }
  /// Where they are: a file, a directory, or the folder of files that are named by time.
  std::string place() const { return names_.path().empty() ? names_.folder() : names_.path(); }
  /// remove_open() can be called.
  bool can_remove_open() const { return joined_ || !names_.is_directory(); }
  /// Removes the file that is being written, if there is one. The sink of begin() is gone.
  void remove_open();
  /// The recording has ended: what of a directory was not complete before is now.
  void complete();
  /// Returns what there is to report since the last call.
  std::vector<Error> take_errors();
  /// Fills in the current and deleted files, and the free space.
  void tell(RecordStatus& status) const;

 private:
  SplitFiles next_files();
  std::unique_ptr<Writer> next_file(const WriteOptions& options);
  std::unique_ptr<Writer> opened(std::unique_ptr<Writer> file,
                                 std::function<void(std::uint64_t)> on_closed);
  std::function<void(const std::string&)> removing_part() const;
  void begin_directory();
  std::string newest_part() const;
  void keep_newest_part(const std::string& part, std::uint64_t messages);
  void tell_opened(const std::string& path);
  void upload(const std::string& path, bool is_last = false);
  void upload_earlier_files();
  void take_settled();
  void count_gone();

  RecordTarget target_;
  OnWarning on_warning_;
  OnChange on_change_;
  std::function<void(const DeletedFile&)> on_deleted_;
  Session session_;
  FileNames names_;
  FileSystemPtr system_;
  FileRetention retention_;
  std::shared_ptr<directory::Joined> joined_;  ///< null: nobody else writes to it
  std::optional<Leftovers> leftovers_;         ///< absent: they are left alone
  bool repeats_;
  std::shared_ptr<LatchedMemory> memory_;
  SplitFiles directory_;               ///< its parts, if they are in one
  std::size_t parts_ = 0;              ///< begun in it
  std::optional<std::string> closed_;  ///< the file that is complete, while there is no next one
  const Writer* open_ = nullptr;
  std::string open_path_;  ///< under which it is being written; empty: it is in a directory
  FileId open_id_;
  std::string first_part_;          ///< of a directory that is uploaded, as a name
  std::vector<std::string> files_;  ///< begun and not deleted, by their final names
  std::uint64_t deleted_files_ = 0;
  std::uint64_t deleted_bytes_ = 0;
  std::uint64_t deleted_messages_ = 0;
  std::uint64_t repaired_files_ = 0;
  std::uint64_t free_bytes_ = 0;
};

}  // namespace kitbag
