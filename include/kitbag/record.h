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
#include "kitbag/live.h"
#include "kitbag/pipeline.h"
#include "kitbag/session.h"

namespace kitbag {

/// What of a continuous recording is kept: where one of these is exceeded, its oldest files go. The
/// open file counts, and never goes. Nothing set: all.
struct Retention {
  std::optional<std::uint64_t> files = std::nullopt;
  std::optional<std::uint64_t> bytes = std::nullopt;  ///< of all files together
  std::optional<Duration> age = std::nullopt;         ///< since a file was closed

  bool any() const { return files || bytes || age; }
};

/// How much of the past a snapshot holds: what is older, or more, is forgotten.
struct SnapshotLimits {
  std::optional<std::uint64_t> bytes = std::nullopt;  ///< of memory
  std::optional<Duration> duration = std::nullopt;    ///< of log time
};

/// Where a recording goes. All but directories have ".active" behind their names while they are
/// written, and take their own names only when they are whole.
struct RecordTarget {
  /// "x.mcap": that file, or with a split x_0.mcap, x_1.mcap, ...; "x" with a split, or "x/": a
  /// directory of rosbag2; "x" alone: x.mcap. Empty: files in the current folder, each named by the
  /// time (UTC) at which it begins, "2026-11-20_14-30-00.mcap".
  std::string path = {};
  /// format empty: as the extension tells, or mcap; chunk_duration zero: 100 ms; is_visible is
  /// always so.
  WriteOptions write = {.may_replace = false};
  SplitLimits split = {};
  Retention keep = {};
  std::uint64_t min_free_bytes = 0;  ///< of the disk; below it the recording ends
  /// Each file begins with the latest message of each latched channel that an earlier file has, on
  /// a channel of its own that says so (is_repeated()).
  bool repeat_latched = true;
};

struct RecordOptions {
  std::string from;  ///< URI of a live system
  Selection select = {};
  std::vector<ExpectedTopic> expected = {};  ///< as Subscription::expected
  FeedOptions feed = {};
  RecordTarget target = {};
  std::vector<Throttle> throttle = {};
  std::optional<Duration> duration = std::nullopt;    ///< the recording ends after it
  std::optional<std::uint64_t> limit = std::nullopt;  ///< of messages on each topic
  /// Set: messages stay in memory, and only snapshot() writes a file: x_0.mcap, x_1.mcap, ...
  std::optional<SnapshotLimits> snapshot = std::nullopt;
  bool starts_paused = false;
  /// Log times are those of the messages on /clock; what comes before the first of them is left
  /// out.
  bool uses_sim_time = false;
  /// What happens to messages before they are counted and stored. Empty: nothing.
  std::function<std::unique_ptr<Source>(std::unique_ptr<Source>)> stages = {};
  OnProblem on_warning = {};  ///< on the recording's thread, or one of its transport
};

/// How a recording stands.
struct RecordStatus {
  std::uint64_t messages = 0;  ///< taken, in all
  std::uint64_t bytes = 0;     ///< of their payload
  /// By topic; topics without any are left out. Dropped: the recorder had no room. Lost: sent, but
  /// they never reached the recorder.
  std::map<std::string, std::uint64_t> dropped = {};
  std::map<std::string, std::uint64_t> lost = {};
  /// Topics whose messages cannot be decoded, because no definition of their types was found.
  std::set<std::string> undefined = {};
  std::uint64_t buffered_bytes = 0;  ///< that wait to be stored
  std::uint64_t held_bytes = 0;      ///< what the memory for a snapshot holds
  std::uint64_t free_bytes = 0;      ///< of the disk
  std::size_t topics = 0;
  Duration elapsed{};
  /// Begun so far and not deleted, whole ones by their own names.
  std::vector<std::string> files = {};
  std::uint64_t deleted_files = 0;     ///< that Retention or the disk has let go
  std::uint64_t deleted_messages = 0;  ///< of this recording, in them
  bool is_paused = false;
  std::string ended = {};  ///< why it has come to an end by itself; else empty
};

/// Records a live system.
class KITBAG_API Recorder {
 public:
  /// Listens from now on. Throws Error.
  Recorder(RecordOptions options, const Session& session);
  ~Recorder();

  /// Records until `stop`, the end of the source or a limit, and completes the files. `on_status`
  /// is called ten times a second, on this thread. Log times never run back: where the clock does,
  /// they go on from where they were, with a warning. Throws Error: when the system has failed, the
  /// files are completed all the same; when a file has, it keeps the ".active" in its name, and
  /// what was stored before can be repaired.
  RecordStatus run(const std::stop_token& stop,
                   const std::function<void(const RecordStatus&)>& on_status = {});

  // From any thread:

  /// Messages are left out until resume().
  void pause();
  void resume();
  /// Writes what the memory holds to a new file, and forgets it.
  void snapshot();
  RecordStatus status() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kitbag
