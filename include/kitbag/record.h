#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/file_system.h"
#include "kitbag/live.h"
#include "kitbag/pipeline.h"
#include "kitbag/session.h"
#include "kitbag/upload.h"

// A Recorder stores the messages of live systems in files. It handles everything that a long
// recording needs: splitting, deleting old files, a full disk, dropped and lost messages, latched
// messages, clocks that are set back, snapshots.
//
//   Recorder recorder({.from = {"ros2://"}, .target = {.path = "run.mcap"}}, session);
//   RecordStatus end = recorder.run(stop);
//
// Messages go from the transport into a Feed of bounded size, and from there through the stages to
// the disk, on the thread of run(). A chunk is closed every 100 ms, so a crash loses at most the
// last moment. docs/live.md describes the behavior in detail.

namespace kitbag {

/// Limits on what a continuous recording keeps. If one is exceeded, the oldest files are deleted:
/// those of this recording and, except in a directory, those of earlier recordings whose names
/// follow the same pattern. The open file counts, but is never deleted. Nothing set: everything is
/// kept. RecordTarget::leases can delay the deletion of files that are being read.
struct Retention {
  std::optional<std::uint64_t> files = std::nullopt;  ///< number of files
  std::optional<std::uint64_t> bytes = std::nullopt;  ///< of all files together
  std::optional<Duration> age = std::nullopt;         ///< time since a file was closed

  /// Returns whether there is a limit.
  bool any() const { return files || bytes || age; }
};

/// Says which of the recorded files are being read, by a server for example. A leased file is not
/// deleted as long as there is another to delete in its place. If all are leased, the oldest is
/// deleted while it is being read, and its bytes count until the lease ends; a file that is too old
/// waits until its lease ends. Called on the thread of Recorder::run().
class FileLeases {
 public:
  virtual ~FileLeases() = default;

  /// Returns whether somebody reads the file or will soon go on to. Also called for deleted files,
  /// to find out when their space is free.
  virtual bool is_leased(const FileId& file) = 0;
  /// The file has been deleted and the disk is nearly full: ends all leases on it and closes it.
  virtual void revoke(const FileId& file) = 0;
};

/// A file that was deleted because of Retention or a full disk.
struct DeletedFile {
  std::string path;            ///< where it was
  FileId id;                   ///< which it was
  std::uint64_t bytes = 0;     ///< its size
  std::uint64_t messages = 0;  ///< of this recording; 0 for files of earlier ones
  std::string reason;          ///< such as "the files exceed their size limit"
};

/// How much of the past a snapshot holds. Older messages are discarded, a batch at a time.
struct SnapshotLimits {
  std::optional<std::uint64_t> bytes = std::nullopt;  ///< of memory
  std::optional<Duration> duration = std::nullopt;    ///< of log time
};

/// Where a recording goes. Except in a directory, the name of a file ends with kActiveSuffix
/// (file_system.h) until the file is complete.
struct RecordTarget {
  /// "x.mcap": that file; with a split, x_0.mcap, x_1.mcap, and so on. "x": x.mcap; with a split, a
  /// rosbag2 directory. "x/": a rosbag2 directory. Empty: files in `folder`, each named by the time
  /// (UTC) at which it begins, such as "2026-11-20_14-30-00.mcap".
  std::string path = {};
  /// The folder of files that are named by time. Empty: the current folder.
  std::string folder = {};
  /// How files are written. An empty `format` is selected by the extension, or else MCAP; a
  /// `chunk_duration` of zero means 100 ms; `is_visible` is always true.
  WriteOptions write = {.may_replace = false};
  /// When to begin the next file.
  SplitLimits split = {};
  /// When to delete old files.
  Retention keep = {};
  /// Free space of the disk, in bytes. Below it, the oldest file is deleted, as by Retention; if no
  /// file is left to delete, the recording ends.
  std::uint64_t min_free_bytes = 0;
  /// Asked before files are deleted. Null: nobody reads them.
  std::shared_ptr<FileLeases> leases = nullptr;
  /// Uploads each complete file, also those of earlier recordings whose names follow the same
  /// pattern. Files that it has not verified in their target are not deleted, neither by `keep` nor
  /// for `min_free_bytes`, and a directory cannot have these limits. Null: nothing is uploaded.
  std::shared_ptr<Uploader> uploader = nullptr;
  /// True: `path` is a directory of rosbag2 that others may record into at the same time, each with
  /// `joins` and files of its own (join.h). It may exist. Retention deletes only files of this
  /// recording.
  bool joins = false;
  /// True: files of this kind that a killed recorder has left incomplete (".active") are repaired
  /// while the recording goes on, and get their final names; in a directory, with `joins`, those of
  /// all recorders. Ignored for other directories.
  bool repairs_leftovers = false;
  /// True: with a split or snapshots, each file begins with the latest message of each latched
  /// channel from earlier files, on a channel of its own that is marked (is_repeated()).
  bool repeat_latched = true;
};

/// What a snapshot holds of the messages in memory, and where it goes.
struct SnapshotRequest {
  std::string path = {};     ///< a file; empty: the next one of the target's names
  Selection select = {};     ///< which channels; set: a file at `path` repeats nothing latched
  Time begin = Time::min();  ///< the earliest log time
  Time end = Time::max();    ///< the latest log time, which belongs to it
};

/// What is recorded, and how.
struct RecordOptions {
  std::vector<std::string> from;                    ///< URIs of live systems, at least one
  Selection select = {};                            ///< which channels
  std::vector<ExpectedTopic> expected = {};         ///< as in Subscription::expected
  FeedOptions feed = {};                            ///< the buffer between system and disk
  RecordTarget target = {};                         ///< where it is stored
  std::vector<Throttle> throttle = {};              ///< maximum rates, as in throttle()
  std::optional<Duration> duration = std::nullopt;  ///< the recording ends after this time
  /// The most messages to record on each topic. The recording ends when every known topic has this
  /// many.
  std::optional<std::uint64_t> limit = std::nullopt;
  /// Set: messages stay in memory, and snapshot() writes them to a file: x_0.mcap, x_1.mcap, and so
  /// on.
  std::optional<SnapshotLimits> snapshot = std::nullopt;
  bool starts_paused = false;  ///< true: as if pause() had been called
  /// True: Recorder::stop() and record() can be called. Latched messages are remembered, so that
  /// later recordings can begin with them.
  bool restarts = false;
  /// True: log times come from the messages on /clock, which `select` has to include. Messages
  /// before the first of these are left out, and counted in RecordStatus::dropped.
  bool uses_sim_time = false;
  /// Stages that messages pass before they are counted and stored. Empty: none.
  std::function<std::unique_ptr<Source>(std::unique_ptr<Source>)> stages = {};
  /// The messages that these stages have dropped so far, by topic, because they were too slow; for
  /// RecordStatus::dropped. Called on the thread of run(). Empty: none.
  std::function<std::map<std::string, std::uint64_t>()> dropped_by_stages = {};
  OnWarning on_warning = {};  ///< called on the thread of run()
  /// Called for each deleted file, on the thread of run().
  std::function<void(const DeletedFile&)> on_deleted = {};
};

/// The state of a recording.
struct RecordStatus {
  std::uint64_t messages = 0;  ///< messages accepted so far
  std::uint64_t bytes = 0;     ///< of their payload
  /// Messages passed to files so far, and the bytes of their payload: with snapshots, fewer than
  /// were accepted.
  std::uint64_t written_messages = 0;
  std::uint64_t written_bytes = 0;  ///< see written_messages
  /// Messages by topic; topics without any are left out. Dropped: there was no space in the buffer,
  /// the stages were too slow, the bag cannot hold a second encoding on the topic, or no time had
  /// come on /clock (RecordOptions::uses_sim_time). Lost: sent, but never received.
  std::map<std::string, std::uint64_t> dropped = {};
  std::map<std::string, std::uint64_t> lost = {};  ///< see dropped
  /// Topics whose messages cannot be decoded because no definition of their types was found.
  std::set<std::string> undefined = {};
  std::uint64_t buffered_bytes = 0;  ///< in the buffer, waiting to be stored
  std::uint64_t held_bytes = 0;      ///< in memory for a snapshot
  std::uint64_t free_bytes = 0;      ///< free space of the disk; UINT64_MAX: not known
  std::size_t topics = 0;            ///< number of topics seen so far
  Duration elapsed{};                ///< since the recording began
  /// Files begun so far and not deleted, by their final names; of all recordings of one run().
  std::vector<std::string> files = {};
  /// Where they are: a file, a directory, or the folder of files that are named by time.
  std::string place = {};
  std::string open_file = {};          ///< the last of `files`; empty: it is complete
  std::uint64_t open_bytes = 0;        ///< size of the open file
  std::uint64_t deleted_files = 0;     ///< deleted because of Retention or a full disk
  std::uint64_t deleted_bytes = 0;     ///< size of these files
  std::uint64_t deleted_messages = 0;  ///< messages of this recording that were in them
  /// Size of deleted files that are still being read (FileLeases).
  std::uint64_t leased_bytes = 0;
  std::uint64_t repaired_files = 0;  ///< completed after a crash (RecordTarget::repairs_leftovers)
  /// Of several live systems, those that cannot be reached for now (LiveSource::missing()).
  std::vector<std::string> missing = {};
  /// Of RecordTarget::uploader; absent: there is none.
  std::optional<UploadStatus> upload = std::nullopt;
  bool is_paused = false;    ///< see Recorder::pause()
  bool is_recording = true;  ///< see Recorder::stop()
  std::string ended = {};    ///< why the recording has ended by itself; empty: it has not
  /// True: it has ended because less than RecordTarget::min_free_bytes were free.
  bool lacks_space = false;
};

/// Deletes files of earlier recordings that exceed the limits of `options.target.keep`, as a
/// Recorder does while it records, and returns them when they are gone. For the time in which
/// nothing is recorded: files grow old nevertheless. Deletes nothing in a directory, and nothing
/// to free space on the disk. Calls `options.on_deleted` for each file, and `options.on_warning`
/// for one that cannot be deleted. Throws Error if the folder cannot be listed.
KITBAG_API std::vector<DeletedFile> purge_recordings(const RecordOptions& options,
                                                     const Session& session);

/// A moment of a recording that is still to come: that of the first message with this time or a
/// later one. Without `topic`, and unless it goes by publish times, it comes at this time by the
/// recorder's clock even if there is no message.
struct RecordMoment {
  Time time{};                   ///< of messages
  bool by_publish_time = false;  ///< true: their publish time; false: their log time
  std::string topic = {};        ///< only messages on this topic count; empty: all
};

/// Records live systems.
class KITBAG_API Recorder {
 public:
  /// Starts listening. Throws Error.
  Recorder(RecordOptions options, const Session& session);
  ~Recorder();

  /// Records until `stop` is requested, the source ends or a limit is reached; then completes the
  /// files. After `stop`, up to 1.5 s are spent on messages that have already arrived. `on_status`
  /// is called ten times a second, on this thread. Call it once.
  ///
  /// Log times never run back. If the system clock is set back by 100 ms or more, they continue as
  /// if it had not been, and `on_warning` reports it.
  ///
  /// Throws Error. If the live system has failed, the files are completed anyway. If a file has
  /// failed, it keeps the name with ".active", and what was stored in it can be repaired.
  RecordStatus run(const std::stop_token& stop,
                   const std::function<void(const RecordStatus&)>& on_status = {});
  /// After run(), on its thread: deletes what exceeds RecordTarget::keep, as run() does. For files
  /// that had to wait for their upload until now. Returns the status when they are gone.
  RecordStatus purge();

  // From any thread:

  /// Leaves out messages until resume(). Then the last one of each latched channel is stored, since
  /// it is the state in which the recording goes on.
  void pause();
  /// Ends a pause().
  void resume();
  /// Ends a pause() at `moment`: the message that makes it come is the first one that is stored. A
  /// call of pause() or resume() before takes it back, another moment takes its place.
  void resume(const RecordMoment& moment);
  /// Asks run() to write the messages in memory to a new file and to remove them from memory.
  /// Returns at once. If that fails, run() warns, and they stay in memory. Throws Error
  /// (unsupported) without RecordOptions::snapshot.
  void snapshot();
  /// The same, of what `request` selects, and waits: returns the number of messages in the file.
  /// Those that are not selected are removed from memory too. Throws Error: not_found if nothing is
  /// selected, unsupported without RecordOptions::snapshot, what creating and writing the file
  /// throws (then memory is unchanged), and cancelled as stop() does.
  std::uint64_t snapshot(const SnapshotRequest& request, const Wait& wait = {});
  /// Asks run() to complete the open file; the next message begins another. Without effect if the
  /// file is empty. Returns at once. Throws Error (unsupported): the target is a single file,
  /// messages are kept for snapshots, or nothing is recorded after a stop().
  void split();
  /// The same at `moment`: the message that makes it come is the first one of the next file.
  /// Another moment takes its place. Throws as split().
  void split(const RecordMoment& moment);
  /// With RecordOptions::restarts: has run() complete the files. It goes on, and stores nothing
  /// more until record(). Returns when the files are complete. Throws Error: invalid if nothing is
  /// recorded, unsupported with snapshots or without `restarts`, cancelled if `wait` or run() ends
  /// first; then it may happen later.
  void stop(const Wait& wait = {});
  /// After a stop(): has run() record into other files, to `path` (RecordTarget::path; empty: that
  /// of the options). Returns when the first file has begun. Throws Error as stop() does, and what
  /// creating the file throws, such as exists; then nothing is recorded as before.
  void record(const std::string& path, const Wait& wait = {});
  /// Returns what it was given.
  const RecordOptions& options() const;
  /// Returns the state of at most 100 ms ago.
  RecordStatus status() const;

 private:
  struct KITBAG_PRIVATE State;
  std::unique_ptr<State> state_;
};

}  // namespace kitbag
