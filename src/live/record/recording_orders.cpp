#include <algorithm>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/selector.h"
#include "live/record/recording_sink.h"

// A recording may be stopped and another one begun while the live source goes on. These orders are
// waited for, because who stops a recording wants its file. In between only latched messages are
// remembered, for the next one.

namespace kitbag {

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
    // It begins with what is latched, unless topics are asked for: others must not be in it.
    options.restarts = request.select == Selection();
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

/// Nobody waits for it. What it needs may be there the next time.
void RecordingSink::write_snapshot() {
  try {
    write_snapshot(SnapshotRequest{});
  } catch (const Error& error) {
    warn({error});
  }
}

}  // namespace kitbag
