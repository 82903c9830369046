#include "live/record/recording_sink.h"

#include <algorithm>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/selector.h"
#include "live/record/recording_report.h"

// What happens when a recording ends. A stop reaches the live source first, which gives what it
// still holds and then ends; run() returns by itself, and all that was received is stored, however
// long that takes: a slow disk or compressor may be seconds behind. Only if what waits does not
// become less for kStuckTime, `hurry` ends run() in the middle, and what is left counts as dropped.
// A second interrupt ends it at once. A limit that the recording reaches by itself (duration,
// messages, free space) stops the source too, but nothing hurries then.
//
// A recording may be stopped and another one begun while the live source goes on. These orders are
// waited for, because who stops a recording wants its file. In between only latched messages are
// remembered, for the next one.
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

/// Nobody waits for it. What it needs may be there the next time.
void RecordingSink::write_snapshot() {
  try {
    write_snapshot(SnapshotRequest{});
  } catch (const Error& error) {
    warn({error});
  }
}

void RecordingSink::split() {
  if (!files_ || !shared_.can_split || status_.messages == messages_before_) return;
  messages_before_ = status_.messages;
  complete_file();
  files_ = recorded_->begin();
  is_between_files_ = true;
}

void RecordingSink::obey_orders() {
  for (;;) {
    std::shared_ptr<RecordingOrder> order;
    {
      std::lock_guard lock(shared_.mutex);
      if (shared_.orders.empty()) return;
      order = shared_.orders.front();
      shared_.orders.pop_front();
    }
    std::optional<Error> error;
    try {
      if (is_closed_) throw Error(ErrorCode::cancelled, "the recording is over");
      order->act(*this);
    } catch (const Error& refused) {
      error = refused;
    }
    tell_files();
    {
      std::lock_guard lock(shared_.mutex);
      shared_.status = status_;
      order->error = error;
      order->is_done = true;
    }
    shared_.changed.notify_all();
  }
}

/// A file that cannot be completed ends everything, as it does at the end of a recording.
void RecordingSink::stop_recording() {
  if (!status_.is_recording) throw Error(ErrorCode::invalid, "nothing is being recorded");
  complete_recording();
  files_.reset();
  shared_.can_split = false;
  status_.is_recording = false;
  is_between_files_ = false;
}

/// What cannot be begun leaves everything as it was.
void RecordingSink::record_to(const std::string& path) {
  if (status_.is_recording) {
    throw Error(ErrorCode::invalid, "a recording is going on; stop it first");
  }
  RecordOptions options = options_;
  if (!path.empty()) options.target.path = path;
  auto recorded = files_at(std::move(options));
  auto files = begun(*recorded, channels_);
  tell_files();
  earlier_ = status_;
  recorded_ = std::move(recorded);
  files_ = std::move(files);
  shared_.can_split = recorded_->can_split();
  messages_before_ = status_.messages;
  status_.is_recording = true;
}

/// They know what has been latched.
std::unique_ptr<RecordedFiles> RecordingSink::files_at(RecordOptions options) {
  options.on_deleted = [this](const DeletedFile& gone) {
    std::erase(earlier_.files, gone.path);
    if (options_.on_deleted) options_.on_deleted(gone);
  };
  return std::make_unique<RecordedFiles>(
      options, session_, [this](const FileChange& change) { source_.tell(change); },
      recorded_->memory());
}

/// The first file is there, so what cannot be begun is known.
std::unique_ptr<Sink> RecordingSink::begun(RecordedFiles& files, ChannelsPtr channels) {
  auto sink = files.begin();
  Batch declares;
  declares.channels = std::move(channels);
  files.widen(declares);
  sink->write(std::move(declares));
  return sink;
}

std::uint64_t RecordingSink::write_snapshot(const SnapshotRequest& request) {
  if (!shared_.moments.is_paused()) store_missed();
  Selector selector(request.select);
  auto is_wanted = [&](const Message& message) {
    return message.log_time >= request.begin && message.log_time <= request.end &&
           selector.matches(message.channel->topic, message.channel->type());
  };
  std::uint64_t count = 0;
  for (const Batch& batch : snapshot_->batches()) {
    auto messages = batch.messages();
    count += static_cast<std::uint64_t>(std::count_if(messages.begin(), messages.end(), is_wanted));
  }
  if (count == 0) {
    throw Error(ErrorCode::not_found, "no messages are in memory for the snapshot");
  }
  RecordOptions options = options_;
  std::unique_ptr<RecordedFiles> elsewhere;
  if (!request.path.empty()) {
    options.target.path = request.path;
    options.target.split = {};
    options.target.keep = {};
    options.snapshot = std::nullopt;
    elsewhere = files_at(std::move(options));
  }
  RecordedFiles& recorded = elsewhere ? *elsewhere : *recorded_;
  std::uint64_t bytes = 0;
  try {
    bytes = write_kept(recorded, is_wanted);
  } catch (...) {
    remove_failed(recorded);
    throw;
  }
  snapshot_->clear();
  status_.written_messages += count;
  status_.written_bytes += bytes;
  if (elsewhere) {
    RecordStatus written;
    elsewhere->tell(written);
    earlier_.files.insert(earlier_.files.end(), written.files.begin(), written.files.end());
  }
  return count;
}

std::uint64_t RecordingSink::write_kept(
    RecordedFiles& recorded, const std::function<bool(const Message&)>& is_wanted) const {
  auto files = begun(recorded, nullptr);
  std::uint64_t bytes = 0;
  for (const Batch& kept : snapshot_->batches()) {
    Batch batch;  // the memory stays until the file is complete
    batch.channels = kept.channels;
    batch.keep(kept);
    for (const Message& message : kept.messages()) {
      if (is_wanted(message)) batch.add(message);
    }
    bytes += batch.payload();
    recorded.widen(batch);
    files->write(std::move(batch));
  }
  files->close();
  return bytes;
}

/// The messages stay in memory, and a full disk has the space again.
void RecordingSink::remove_failed(RecordedFiles& recorded) {
  try {
    recorded.remove_open();
  } catch (const Error&) {
    return;  // the first error is the one to report
  }
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
