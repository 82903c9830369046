#include "live/record/recording_sink.h"

#include <algorithm>
#include <utility>

#include "kitbag/error.h"
#include "live/record/recording_report.h"

// What happens when a recording ends. A stop reaches the live source first, which gives what it
// still holds and then ends; run() returns by itself, and all that was received is stored, however
// long that takes: a slow disk or compressor may be seconds behind. Only if what waits does not
// become less for kStuckTime, `hurry` ends run() in the middle, and what is left counts as dropped.
// A second interrupt ends it at once. A limit that the recording reaches by itself (duration,
// messages, free space) stops the source too, but nothing hurries then.
//
// All decisions are made on the recording's thread. Other threads leave wishes in atomic flags,
// which are looked at ten times a second; status() gets a copy that is as old as that. So no
// message waits for a lock of the status.
//
// While the recording is paused, latched messages are remembered: otherwise a map that is published
// during the pause would be missing for the rest of the recording. They are stored at the first
// write afterwards.

namespace kitbag {

namespace {

constexpr Duration kLookEvery = std::chrono::milliseconds(100);
/// After a stop request, how long what waits to be stored may stay as much as it is.
constexpr Duration kStuckTime = std::chrono::milliseconds(1500);

}  // namespace

RecordingSink::RecordingSink(const RecordOptions& options, const Session& session,
                             SharedRecording& shared, LiveSource& source,
                             const SimTimeReport& clock)
    : options_(options),
      clock_(session.clock()),
      shared_(shared),
      source_(source),
      session_(session),
      recorded_(std::make_unique<RecordedFiles>(
          options, session, [this](const FileChange& change) { source_.tell(change); })),
      topics_(options.limit, session),
      strays_(options.on_warning),
      unmet_(options, clock),
      start_(clock_->steady()),
      next_look_(start_) {
  if (options.snapshot) {
    snapshot_.emplace(*options.snapshot,
                      [this](Batch&& old) { recorded_->remember(std::move(old)); });
  } else {
    files_ = recorded_->begin();
    shared_.can_split = recorded_->can_split();
  }
}

void RecordingSink::begin(const std::function<void(const RecordStatus&)>& on_status,
                          const std::stop_token& stop, std::stop_source hurry) {
  on_status_ = on_status;
  stop_ = stop;
  hurry_ = std::move(hurry);
}

void RecordingSink::write(Batch&& batch) {
  strays_.drop(batch);
  if (batch.channels) topics_.declare(*batch.channels);
  unmet_.take(batch);
  if (batch.channels) channels_ = batch.channels;
  batch.channels = channels_;  // a file may begin with any batch
  if (!status_.is_recording) {
    recorded_->remember(std::move(batch));
    return;
  }
  if (shared_.moments.are_set()) keep_moments(batch);
  take(std::move(batch));
}

/// Takes what comes before a moment out of the batch, and does what was asked for then.
void RecordingSink::keep_moments(Batch& batch) {
  while (shared_.moments.are_set()) {
    auto messages = std::as_const(batch).messages();
    std::size_t count = shared_.moments.find(messages);
    if (count == messages.size()) return;
    Message message = messages[count];
    if (count > 0) {
      Batch before;
      before.take_front(batch, count);
      take(std::move(before));
    }
    if (shared_.moments.reach(message)) split();
  }
}

void RecordingSink::take(Batch&& batch) {
  if (shared_.moments.is_paused()) {
    missed_.keep(batch);
    batch.drop_if([](const Message&) { return true; });
  } else {
    store_missed();
  }
  store(std::move(batch));
}

void RecordingSink::store_missed() {
  if (!missed_.empty()) store(missed_.take());
}

void RecordingSink::store(Batch&& batch) {
  topics_.drop_beyond_limit(batch);
  if (topics_.are_complete()) end("every topic has reached the message limit");
  status_.messages += batch.messages().size();
  status_.bytes += batch.payload();
  if (snapshot_) return snapshot_->add(std::move(batch));
  write_to(*files_, std::move(batch));
}

void RecordingSink::write_to(Sink& files, Batch&& batch) {
  status_.written_messages += batch.messages().size();
  status_.written_bytes += batch.payload();
  // The next file begins with a message.
  if (is_between_files_ && batch.empty() && batch.extras.empty()) return;
  is_between_files_ = false;
  recorded_->widen(batch);
  files.write(std::move(batch));
}

SteadyTime RecordingSink::due() const {
  return std::min(next_look_, files_ ? files_->due() : kNever);
}

void RecordingSink::tick(SteadyTime now) {
  if (files_ && now >= files_->due()) files_->tick(now);
  if (now < next_look_) return;
  next_look_ = now + kLookEvery;
  look(now);
}

void RecordingSink::flush() {
  if (files_) files_->flush();
}

void RecordingSink::close() {
  if (snapshot_) {  // one that was asked for just now
    obey_orders();
    if (shared_.wants_snapshot.exchange(false)) write_snapshot();
  } else if (status_.is_recording) {
    complete_recording();
  }
  is_closed_ = true;
  look(clock_->steady());
}

void RecordingSink::purge() {
  recorded_->purge();
  tell_files();
  tell_warnings();
  std::lock_guard lock(shared_.mutex);
  shared_.status = status_;
}

void RecordingSink::complete_recording() {
  if (!shared_.moments.is_paused()) store_missed();
  if (!is_between_files_) complete_file();
  recorded_->complete();
}

bool RecordingSink::remove_empty_file() {
  if (snapshot_ || status_.messages > 0 || !recorded_->can_remove_open()) return false;
  if (!status_.is_recording) return false;
  files_.reset();
  recorded_->remove_open();
  tell_files();
  tell_warnings();
  tell_status();
  return true;
}

void RecordingSink::complete_file() {
  count_missing();
  Batch last;
  last.extras.emplace_back(recording_report(options_.from, status_, earlier_));
  files_->write(std::move(last));
  files_->close();
}

void RecordingSink::look(SteadyTime now) {
  status_.elapsed = now - start_;
  if (stop_.stop_requested()) watch_drain(now);
  status_.is_paused = shared_.moments.is_paused();
  count_missing();
  status_.buffered_bytes = source_.held_bytes();
  status_.missing = source_.missing();
  if (options_.duration && status_.elapsed >= *options_.duration) end("the duration has elapsed");
  if (shared_.wants_snapshot.exchange(false) && snapshot_) write_snapshot();
  if (shared_.wants_split.exchange(false) && !is_closed_) split();
  bool goes_by_clock = shared_.moments.are_set() && !options_.uses_sim_time && !is_closed_;
  if (goes_by_clock && status_.buffered_bytes == 0 && shared_.moments.reach(clock_->wall()))
    split();
  obey_orders();
  status_.held_bytes = snapshot_ ? snapshot_->held_bytes() : 0;
  bool is_going_on = !is_closed_ && status_.ended.empty();
  if (!recorded_->make_room(is_going_on) && is_going_on) {
    status_.lacks_space = true;
    end("the free disk space is below the limit");
  }
  warn(is_closed_ ? unmet_.tell_at_end(source_) : unmet_.tell(status_.elapsed, source_));
  topics_.tell(status_);
  tell_files();
  tell_warnings();
  tell_status();
}

void RecordingSink::watch_drain(SteadyTime now) {
  std::size_t backlog = source_.held_bytes();
  if (!drained_ || backlog < backlog_) {
    drained_ = now;
    backlog_ = backlog;
  } else if (now - *drained_ > kStuckTime) {
    hurry_.request_stop();
  }
}

void RecordingSink::count_missing() {
  status_.dropped = count_dropped(source_, strays_);
  unmet_.count(status_.dropped);
  if (options_.dropped_by_stages) {
    for (const auto& [topic, count] : options_.dropped_by_stages()) status_.dropped[topic] += count;
  }
  status_.lost = count_lost(source_);
}

/// Nothing new comes in; what has come is still stored.
void RecordingSink::end(const std::string& why) {
  if (!status_.ended.empty()) return;
  status_.ended = why;
  source_.stop();
}

void RecordingSink::split() {
  if (!files_ || !shared_.can_split || status_.messages == messages_before_) return;
  messages_before_ = status_.messages;
  complete_file();
  files_ = recorded_->begin();
  is_between_files_ = true;
}

/// Of all recordings of this run.
void RecordingSink::tell_files() {
  recorded_->tell(status_);
  status_.files.insert(status_.files.begin(), earlier_.files.begin(), earlier_.files.end());
  status_.deleted_files += earlier_.deleted_files;
  status_.deleted_bytes += earlier_.deleted_bytes;
  status_.deleted_messages += earlier_.deleted_messages;
  status_.repaired_files += earlier_.repaired_files;
}

void RecordingSink::warn(const std::vector<Error>& warnings) {
  std::lock_guard lock(shared_.mutex);
  shared_.warnings.insert(shared_.warnings.end(), warnings.begin(), warnings.end());
}

void RecordingSink::tell_warnings() {
  std::vector<Error> warnings = recorded_->take_errors();
  {
    std::lock_guard lock(shared_.mutex);
    for (Error& warning : std::exchange(shared_.warnings, {})) {
      warnings.push_back(std::move(warning));
    }
  }
  for (const Error& warning : warnings) {
    if (options_.on_warning) options_.on_warning(warning);
  }
}

void RecordingSink::tell_status() {
  {
    std::lock_guard lock(shared_.mutex);
    shared_.status = status_;
  }
  if (on_status_) on_status_(status_);
}

}  // namespace kitbag
