#include "live/record/recording_sink.h"

#include <algorithm>
#include <utility>

#include "kitbag/error.h"
#include "live/record/recording_report.h"

// What happens when a recording ends. A stop reaches the live source first, which gives what it
// still holds and then ends; run() returns by itself, and all that was received is stored. If that
// takes longer than kDrainTime, for example because the disk is slow, `hurry` ends run() in the
// middle. A limit that the recording reaches by itself (duration, messages, free space) stops the
// source too, but nothing hurries then: what the feed holds is stored.
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

constexpr Duration kLook = std::chrono::milliseconds(100);
/// After a stop request, earlier messages are still stored, for at most this long.
constexpr Duration kDrainTime = std::chrono::milliseconds(1500);

}  // namespace

RecordingSink::RecordingSink(const RecordOptions& options, const Session& session,
                             SharedRecording& shared, LiveSource& source)
    : options_(options),
      clock_(session.clock()),
      shared_(shared),
      source_(source),
      recorded_(options, session),
      topics_(options.limit, session),
      strays_(options.on_warning),
      silent_(options.select),
      start_(clock_->steady()),
      next_look_(start_) {
  if (options.snapshot) {
    snapshot_.emplace(*options.snapshot,
                      [this](Batch&& old) { recorded_.remember(std::move(old)); });
  } else {
    files_ = recorded_.begin();
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
  silent_.take(batch);
  if (shared_.is_paused) {
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
  recorded_.widen(batch);
  files.write(std::move(batch));
}

SteadyTime RecordingSink::due() const {
  return std::min(next_look_, files_ ? files_->due() : kNever);
}

void RecordingSink::tick(SteadyTime now) {
  if (files_ && now >= files_->due()) files_->tick(now);
  if (now < next_look_) return;
  next_look_ = now + kLook;
  look(now);
}

void RecordingSink::flush() {
  if (files_) files_->flush();
}

void RecordingSink::close() {
  if (snapshot_) return;
  if (!shared_.is_paused) store_missed();
  bool is_between_files = messages_at_split_ > 0 && status_.messages == messages_at_split_;
  if (!is_between_files) complete_file();
  recorded_.complete();
  is_closed_ = true;
  look(clock_->steady());
}

bool RecordingSink::remove_empty_file() {
  if (snapshot_ || status_.messages > 0 || !recorded_.can_remove_open()) return false;
  files_.reset();
  recorded_.remove_open();
  recorded_.tell(status_);
  tell_warnings();
  tell_status();
  return true;
}

void RecordingSink::complete_file() {
  count_missing();
  Batch last;
  last.extras.emplace_back(recording_report(options_.from, status_));
  files_->write(std::move(last));
  files_->close();
}

void RecordingSink::look(SteadyTime now) {
  status_.elapsed = now - start_;
  if (stop_.stop_requested() && !stopped_) stopped_ = now;
  if (stopped_ && now - *stopped_ > kDrainTime) hurry_.request_stop();
  status_.is_paused = shared_.is_paused;
  count_missing();
  status_.buffered_bytes = source_.held_bytes();
  status_.missing = source_.missing();
  if (options_.duration && status_.elapsed >= *options_.duration) end("the duration has elapsed");
  if (shared_.wants_snapshot.exchange(false) && snapshot_) write_snapshot();
  if (shared_.wants_split.exchange(false)) split();
  status_.held_bytes = snapshot_ ? snapshot_->held_bytes() : 0;
  bool is_going_on = !is_closed_ && status_.ended.empty();
  if (!recorded_.make_room(is_going_on) && is_going_on) {
    status_.lacks_space = true;
    end("the free disk space is below the limit");
  }
  if (auto silence = is_closed_ ? silent_.tell_at_end() : silent_.tell(status_.elapsed)) {
    warn(*silence);
  }
  topics_.tell(status_);
  recorded_.tell(status_);
  tell_warnings();
  tell_status();
}

void RecordingSink::count_missing() {
  status_.dropped = count_dropped(source_, strays_);
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

void RecordingSink::write_snapshot() {
  if (!shared_.is_paused) store_missed();
  auto batches = snapshot_->take();
  if (batches.empty()) return;
  auto files = recorded_.begin();
  for (Batch& batch : batches) {
    write_to(*files, std::move(batch));
  }
  files->close();
}

void RecordingSink::split() {
  if (!can_split() || status_.messages == messages_at_split_) return;
  messages_at_split_ = status_.messages;
  complete_file();
  files_ = recorded_.begin();
}

void RecordingSink::warn(const Error& warning) {
  std::lock_guard lock(shared_.mutex);
  shared_.warnings.push_back(warning);
}

void RecordingSink::tell_warnings() {
  std::vector<Error> warnings = recorded_.take_errors();
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
