#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/session.h"
#include "kitbag/time.h"

// An Uploader copies complete files to another place, such as an object store, in the background,
// until all of them are there: over outages of days, restarts, and beside a recording.
//
//   auto uploader = std::make_shared<Uploader>(UploadOptions{.target =
//   "s3://bags/{robot}/{date}/"},
//                                              session);
//   Recorder recorder({.from = {"ros2://"}, .target = {.uploader = uploader}}, session);
//
// A file counts as uploaded when its content was compared with what is in the target
// (FileSystem::has_content()). What is there already is not sent again, and is never replaced.
// docs/uploading.md describes the behaviour in detail.

namespace kitbag {

/// Where files go, and how fast.
struct UploadOptions {
  /// A folder of any file system that can be written to, such as "s3://bags/{robot}/{date}/".
  /// {robot} and {host} are replaced by the names of the robot and of this machine, {date} and
  /// {time} by the UTC time of a bag's first message ("2026-11-26", "14-30-00"), or else by the
  /// time at which the file was modified.
  std::string target = {};
  std::string robot = {};  ///< empty: KITBAG_ROBOT, or else the name of this machine
  /// Bytes per second that are read to be sent; absent: no limit.
  std::optional<std::uint64_t> bytes_per_second = std::nullopt;
};

/// A file to upload.
struct UploadFile {
  std::string folder = {};  ///< where it is; it also has the journal of what was uploaded
  std::string name = {};    ///< in the folder and in the target: "x_0.mcap", "run/run_0.mcap"
  /// The name of the file that gives {date} and {time}; empty: it does so itself.
  std::string dated_by = {};
  /// True: it waits until no other file is left that is in the same folder as it is.
  bool is_last = false;
};

/// A file that is in the target.
struct UploadedFile {
  std::string path = {};    ///< of the local file
  std::string target = {};  ///< where its content is now
  std::uint64_t bytes = 0;  ///< its size
  bool was_there = false;   ///< true: nothing had to be sent
};

/// The state of an Uploader.
struct UploadStatus {
  std::uint64_t waiting_files = 0;   ///< that are not verified in the target yet
  std::uint64_t waiting_bytes = 0;   ///< of them, without what was sent of the current one
  std::uint64_t uploaded_files = 0;  ///< sent and verified
  std::uint64_t uploaded_bytes = 0;  ///< of them
  std::uint64_t found_files = 0;     ///< that were in the target already
  std::string current = {};          ///< path of the file that is being sent; empty: none
  std::string failure = {};          ///< why the last try failed; empty: it did not
  Duration failing{};                ///< time since uploads began to fail; 0: they do not
};

/// Uploads files, one after the other, on a thread of its own. All members can be called from any
/// thread.
class KITBAG_API Uploader {
 public:
  /// Begins, and asks the target whether files can be written to it, for 5 s at most. Throws Error
  /// if they cannot and that does not pass by itself: invalid (a placeholder, no permission),
  /// not_found (no such bucket or folder), unsupported. If the target cannot be reached, that is
  /// only reported (take_reports()).
  Uploader(UploadOptions options, const Session& session);
  /// Ends. What is not uploaded yet stays where it is.
  ~Uploader();
  Uploader(const Uploader&) = delete;
  Uploader& operator=(const Uploader&) = delete;

  /// A file is complete and will not change. A file that was added before, or that the journal
  /// names as uploaded, is not uploaded again.
  void add(const UploadFile& file);
  /// Returns whether the file at `path` was verified in the target and has not changed since.
  bool is_uploaded(const std::string& path) const;
  /// Returns the current state.
  UploadStatus status() const;
  /// Waits until nothing is left to upload, and does not wait for the time of the next try first.
  /// Returns whether nothing is left.
  bool finish(const Wait& wait);
  /// Returns what there is to report since the last call: one warning when uploads begin to fail,
  /// one remark when they go on, and what happened to single files.
  std::vector<Error> take_reports();
  /// Returns the files that were verified since the last call; not those of the journal.
  std::vector<UploadedFile> take_uploaded();

 private:
  struct KITBAG_PRIVATE State;
  std::unique_ptr<State> state_;
};

}  // namespace kitbag
