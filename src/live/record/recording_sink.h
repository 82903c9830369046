#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/live.h"
#include "kitbag/record.h"
#include "kitbag/session.h"
#include "live/record/moments.h"
#include "live/record/paused_state.h"
#include "live/record/recorded_files.h"
#include "live/record/recorded_topics.h"
#include "live/record/snapshot.h"
#include "live/record/stray_encodings.h"
#include "live/record/unmet_requests.h"

namespace kitbag {

class RecordingSink;

/// What another thread asks a recording to do, and waits for.
struct RecordingOrder {
  std::function<void(RecordingSink&)> act;  ///< on the recording's thread
  bool is_done = false;
  std::optional<Error> error = std::nullopt;  ///< why it was not possible
};

/// What a recording shares with other threads: their requests, and its status.
struct SharedRecording {
  RecordingMoments moments;
  std::atomic<bool> wants_snapshot = false;
  std::atomic<bool> wants_split = false;
  std::atomic<bool> can_split = false;  ///< the open file can be completed
  mutable std::mutex mutex;
  std::condition_variable_any changed;  ///< an order is done, or the recording is over
  std::deque<std::shared_ptr<RecordingOrder>> orders;
  bool is_over = false;  ///< nobody looks at orders any more
  RecordStatus status;
  std::vector<Error> warnings;  ///< of other threads
};

/// The only sink of a recording: counts what comes, drops what must not be stored, and passes the
/// rest to the files or to the memory for snapshots. Ten times a second it checks the time limits,
/// the disk and the requests of other threads, and reports its status.
class RecordingSink final : public Sink {
 public:
  /// All but `session` must outlive it; `clock` is the report of sim_time(). It stops `source` when
  /// the recording ends by itself.
  RecordingSink(const RecordOptions& options, const Session& session, SharedRecording& shared,
                LiveSource& source, const SimTimeReport& clock);

  /// `hurry` is requested when what was received before `stop` does not become less.
  void begin(const std::function<void(const RecordStatus&)>& on_status, const std::stop_token& stop,
             std::stop_source hurry);

  void write(Batch&& batch) override;
  SteadyTime due() const override;
  void tick(SteadyTime now) override;
  void flush() override;
  /// Completes the files.
  void close() override;
  /// After close(), as Recorder::purge().
  void purge();
  /// In place of close(): removes the open file if the recording has stored no message. False: it
  /// has, or it writes a directory or snapshots.
  bool remove_empty_file();

  // What is done for other threads, as orders:

  /// As Recorder::stop().
  void stop_recording();
  /// As Recorder::record().
  void record_to(const std::string& path);
  /// As Recorder::snapshot() of a request.
  std::uint64_t write_snapshot(const SnapshotRequest& request);

 private:
  void keep_moments(Batch& batch);
  void take(Batch&& batch);
  void store(Batch&& batch);
  void write_to(Sink& files, Batch&& batch);
  void store_missed();
  void look(SteadyTime now);
  void watch_drain(SteadyTime now);
  void count_missing();
  void end(const std::string& why);
  void write_snapshot();
  void complete_file();
  void complete_recording();
  void split();
  std::unique_ptr<RecordedFiles> files_at(RecordOptions options);
  /// Writes what is wanted of the messages in memory as a file, and returns its payload in bytes.
  std::uint64_t write_kept(RecordedFiles& recorded,
                           const std::function<bool(const Message&)>& is_wanted) const;
  static void remove_failed(RecordedFiles& recorded);
  static std::unique_ptr<Sink> begun(RecordedFiles& files, ChannelsPtr channels);
  void obey_orders();
  void tell_files();
  void warn(const std::vector<Error>& warnings);
  void tell_warnings();
  void tell_status();

  const RecordOptions& options_;
  ClockPtr clock_;
  SharedRecording& shared_;
  LiveSource& source_;
  Session session_;
  std::unique_ptr<RecordedFiles> recorded_;
  RecordedTopics topics_;
  StrayEncodings strays_;
  UnmetRequests unmet_;
  PausedState missed_;
  std::unique_ptr<Sink> files_;             ///< null with snapshots
  std::optional<SnapshotMemory> snapshot_;  ///< absent without them
  RecordStatus status_;
  SteadyTime start_;
  SteadyTime next_look_;
  std::function<void(const RecordStatus&)> on_status_;
  std::stop_token stop_;
  std::stop_source hurry_{std::nostopstate};
  std::optional<SteadyTime> drained_;  ///< after a stop request: when the backlog became less
  std::size_t backlog_ = 0;            ///< its bytes then
  bool is_closed_ = false;             ///< so that it cannot end for another reason
  bool is_between_files_ = false;      ///< a file is complete, and the next one has not begun
  std::uint64_t messages_before_ = 0;  ///< of status_, when the open file began
  ChannelsPtr channels_;               ///< declared last
  RecordStatus earlier_;               ///< when the last recording of this run had been stopped
};

}  // namespace kitbag
