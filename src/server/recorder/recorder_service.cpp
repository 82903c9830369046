#include "server/recorder/recorder_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/leave.h"
#include "kitbag/text.h"

// A request sets a wish and waits until the recorder has carried it out. The recorder looks for
// wishes ten times a second and reports its status at the end of each look. The look under way may
// have passed the wish already, so two more reports must come before it is certainly done.
//
// What ends a recording decides what follows:
//
//   stop() or the end of the server    stays stopped
//   the system has ended, a limit      stopped, with the reason
//   the disk is full                   waiting, and tried again when there is room
//   an error                           waiting, every five seconds
//
// `attempts_` counts also those that failed, so that start() returns with the reason and does not
// wait for a system that is not there.

namespace kitbag::server {
namespace {

using std::chrono::seconds;

/// Between two attempts to record.
constexpr seconds kStartAgain{5};
/// Between two checks of the limits while nothing is recorded.
constexpr std::chrono::minutes kPurgePeriod{1};
/// How long a request waits for the recorder, which checks for requests ten times a second; the
/// disk may be slow.
constexpr seconds kStateWithin{30};
/// The least free space with which a recording begins again.
constexpr std::uint64_t kLeastFree = 16 << 20;

std::uint64_t sum(const std::map<std::string, std::uint64_t>& counts) {
  std::uint64_t all = 0;
  for (const auto& [topic, count] : counts) all += count;
  return all;
}

void add(const RecordStatus& status, RecorderReport::Totals& totals) {
  totals.messages += status.messages;
  totals.bytes += status.bytes;
  totals.dropped += sum(status.dropped);
  totals.lost += sum(status.lost);
  totals.deleted_files += status.deleted_files;
  totals.deleted_bytes += status.deleted_bytes;
  totals.repaired_files += status.repaired_files;
}

}  // namespace

const char* to_string(RecorderState state) {
  switch (state) {
    case RecorderState::recording:
      return "recording";
    case RecorderState::paused:
      return "paused";
    case RecorderState::waiting:
      return "waiting";
    case RecorderState::stopped:
      return "stopped";
  }
  return "";
}

RecorderService::RecorderService(RecordOptions options, const Session& session)
    : options_(std::move(options)),
      session_(session),
      clock_(session.clock()),
      next_purge_(options_.target.keep.any() || options_.target.uploader ? SteadyTime::min()
                                                                         : kNever) {
  begin();
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

RecorderService::~RecorderService() = default;  // the thread ends the recording

/// Without this check, a recording that a full disk has ended would begin and end again and again,
/// and leave a file each time.
void RecorderService::require_room() const {
  const std::string& folder = options_.target.folder;
  std::uint64_t free = session_.file_system(folder)->free_bytes(folder);
  std::uint64_t needed = std::max(options_.target.min_free_bytes, kLeastFree);
  if (free >= needed) return;
  throw Error(ErrorCode::io,
              fmt::format("{} of the disk are free, and recording needs {}", format_size(free),
                          format_size(needed)),
              folder);
}

/// Sets recorder_, or the reason why there is none for now.
void RecorderService::begin() {
  std::shared_ptr<Recorder> recorder;
  std::string reason;
  bool is_first = attempts_ == 0;
  try {
    if (!is_first) require_room();
    recorder = std::make_shared<Recorder>(options_, session_);
  } catch (const Error& error) {
    if (is_first && error.code() != ErrorCode::io) throw;
    reason = error.what();
  } catch (const std::exception& error) {  // no memory
    reason = error.what();
  }
  std::lock_guard lock(mutex_);
  ++attempts_;
  next_try_ = clock_->steady() + kStartAgain;
  reason_ = std::move(reason);
  if (!recorder || !is_wanted_) return;
  recorder_ = std::move(recorder);
  stop_run_ = std::stop_source();
  now_ = {};
  now_.is_paused = options_.starts_paused;
}

void RecorderService::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    changed_.notify_all();
    SteadyTime next_try = is_wanted_ ? next_try_ : kNever;
    SteadyTime now = clock_->steady();
    if (!recorder_ && now < std::min(next_try, next_purge_)) {
      Wait wait{stop, std::min(next_try, next_purge_)};
      clock_->wait(lock, changed_, wait, [this] { return is_woken_; });
      is_woken_ = false;
      continue;
    }
    lock.unlock();
    if (recorder_) {
      run(stop);
    } else if (now >= next_try) {
      begin();
    } else {
      purge();
    }
    lock.lock();
  }
}

void RecorderService::purge() {
  std::vector<DeletedFile> deleted;
  if (const auto& uploader = options_.target.uploader) {
    uploader->take_uploaded();
    for (const Error& report : uploader->take_reports()) {
      if (options_.on_warning) options_.on_warning(report);
    }
  }
  try {
    deleted = purge_recordings(options_, session_);
  } catch (const Error& error) {
    if (options_.on_warning) options_.on_warning(error);
  }
  std::lock_guard lock(mutex_);
  next_purge_ = clock_->steady() + kPurgePeriod;
  for (const DeletedFile& file : deleted) {
    std::erase(now_.files, file.path);
    ++now_.deleted_files;
    now_.deleted_bytes += file.bytes;
    ++before_.deleted_files;  // which has the rest of now_ already
    before_.deleted_bytes += file.bytes;
  }
}

void RecorderService::run(const std::stop_token& ending) {
  NoLeave files_are_completed;
  std::stop_callback on_ending(ending, [this] { stop_run_.request_stop(); });
  std::stop_token stop = stop_run_.get_token();
  std::string reason;
  bool tries_again = false;
  try {
    RecordStatus last = recorder_->run(stop, [this](const RecordStatus& status) {
      std::lock_guard lock(mutex_);
      now_ = status;
      ++looks_;
      changed_.notify_all();
    });
    reason = last.ended.empty() ? "the live system has ended" : last.ended;
    tries_again = last.free_bytes < options_.target.min_free_bytes;
  } catch (const std::exception& error) {
    reason = error.what();
    tries_again = true;
  }
  std::shared_ptr<Recorder> ended;  // it is destroyed without the lock
  std::lock_guard lock(mutex_);
  ended = std::exchange(recorder_, nullptr);
  add(now_, before_);
  now_.open_file.clear();
  now_.missing.clear();
  next_try_ = clock_->steady() + (stop.stop_requested() ? seconds(0) : kStartAgain);
  if (stop.stop_requested()) return;
  reason_ = std::move(reason);
  is_wanted_ = tries_again;
}

RecorderReport RecorderService::report() const {
  std::lock_guard lock(mutex_);
  RecorderReport report;
  if (recorder_) {
    report.state = now_.is_paused ? RecorderState::paused : RecorderState::recording;
  } else {
    report.state = is_wanted_ ? RecorderState::waiting : RecorderState::stopped;
  }
  report.reason = reason_;
  report.now = now_;
  report.totals = before_;
  if (recorder_) add(now_, report.totals);
  if (options_.target.uploader) report.now.upload = options_.target.uploader->status();
  return report;
}

void RecorderService::await(std::unique_lock<std::mutex>& lock, const std::stop_token& cancel,
                            const std::function<bool()>& condition) {
  if (clock_->wait(lock, changed_, {cancel, clock_->steady() + kStateWithin}, condition)) return;
  if (cancel.stop_requested()) throw Error(ErrorCode::cancelled, "the client has gone");
  throw Error(ErrorCode::io, "the recorder has not answered in time; the disk may be slow");
}

void RecorderService::start(const std::stop_token& cancel) {
  std::unique_lock lock(mutex_);
  if (recorder_ && is_wanted_) return;
  is_wanted_ = true;
  is_woken_ = true;
  next_try_ = clock_->steady();
  changed_.notify_all();
  await(lock, cancel, [this, before = attempts_] { return attempts_ > before; });
}

void RecorderService::stop(const std::stop_token& cancel) {
  std::unique_lock lock(mutex_);
  is_wanted_ = false;
  is_woken_ = true;
  reason_.clear();
  stop_run_.request_stop();
  changed_.notify_all();
  await(lock, cancel, [this] { return !recorder_; });
}

void RecorderService::ask(void (Recorder::*what)(), const std::stop_token& cancel) {
  std::unique_lock lock(mutex_);
  if (!recorder_) throw Error(ErrorCode::invalid, "the recorder is not recording; start it first");
  ((*recorder_).*what)();
  // The recorder may be in the middle of a check now; after the next one it has done it.
  await(lock, cancel, [this, before = looks_] { return !recorder_ || looks_ >= before + 2; });
}

void RecorderService::pause(const std::stop_token& cancel) {
  ask(&Recorder::pause, cancel);
}

void RecorderService::resume(const std::stop_token& cancel) {
  ask(&Recorder::resume, cancel);
}

void RecorderService::split(const std::stop_token& cancel) {
  ask(&Recorder::split, cancel);
}

void RecorderService::snapshot(const std::stop_token& cancel) {
  if (!options_.snapshot) {
    throw Error(ErrorCode::unsupported, "the recorder keeps no messages for snapshots");
  }
  ask(&Recorder::snapshot, cancel);
}

}  // namespace kitbag::server
