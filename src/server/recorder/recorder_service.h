#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "kitbag/record.h"
#include "kitbag/session.h"

// The recorder of a server: the library's Recorder on a thread of its own. Clients start and stop
// it. After a failure that may pass (the live system has gone, the disk is full) it tries again.
// While it does not record, it still deletes files that are too old: the limits are those of the
// folder.

namespace kitbag::server {

/// What a recorder is doing.
enum class RecorderState {
  recording,
  paused,
  waiting,  ///< it will try again; RecorderReport::reason says why
  stopped,
};
const char* to_string(RecorderState state);

struct RecorderReport {
  RecorderState state = RecorderState::stopped;
  std::string reason = {};  ///< why it waits or has stopped by itself
  RecordStatus now = {};    ///< of the current recording, or of the last one
  /// Since the server began, over all recordings.
  struct Totals {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::uint64_t dropped = 0;
    std::uint64_t lost = 0;
    std::uint64_t deleted_files = 0;
    std::uint64_t deleted_bytes = 0;
    std::uint64_t repaired_files = 0;
  } totals = {};
};

/// Any thread.
class RecorderService {
 public:
  /// Starts to record. Throws Error as Recorder does, except for failures that may pass
  /// (ErrorCode::io).
  RecorderService(RecordOptions options, const Session& session);
  /// Completes the files.
  ~RecorderService();
  RecorderService(const RecorderService&) = delete;
  RecorderService& operator=(const RecorderService&) = delete;

  RecorderReport report() const;

  // Each returns when it is done. Throws Error: invalid if the state does not allow it, unsupported
  // if the options do not, io if the recorder does not answer in time, cancelled if `cancel` is
  // requested before.

  void start(const std::stop_token& cancel);
  /// Completes the open file.
  void stop(const std::stop_token& cancel);
  void pause(const std::stop_token& cancel);
  void resume(const std::stop_token& cancel);
  void split(const std::stop_token& cancel);
  void snapshot(const std::stop_token& cancel);

 private:
  void work(const std::stop_token& stop);
  void begin();
  void run(const std::stop_token& ending);
  void purge();
  void require_room() const;
  void await(std::unique_lock<std::mutex>& lock, const std::stop_token& cancel,
             const std::function<bool()>& condition);
  /// Calls `what` of the recorder, and waits until the recorder has done it.
  void ask(void (Recorder::*what)(), const std::stop_token& cancel);

  RecordOptions options_;
  Session session_;
  ClockPtr clock_;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool is_wanted_ = true;
  bool is_woken_ = false;
  std::shared_ptr<Recorder> recorder_;  ///< null: it does not record
  std::stop_source stop_run_;
  SteadyTime next_try_{};
  SteadyTime next_purge_;  ///< while it does not record
  std::uint64_t attempts_ = 0;
  std::uint64_t looks_ = 0;  ///< times that the recorder has checked for requests
  std::string reason_;
  RecordStatus now_;
  RecorderReport::Totals before_;  ///< of earlier recordings
  std::jthread thread_;
};

}  // namespace kitbag::server
