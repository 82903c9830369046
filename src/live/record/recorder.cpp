#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <set>
#include <utility>

#include "definitions/fingerprint.h"
#include "flow/sim_time.h"
#include "kitbag/codec.h"
#include "kitbag/error.h"
#include "kitbag/open.h"
#include "kitbag/record.h"
#include "kitbag/session.h"
#include "live/record/file_names.h"
#include "live/record/latched_memory.h"
#include "live/record/retention.h"
#include "live/record/snapshot.h"
#include "live/record/stray_encodings.h"
#include "storage/writing/closing_writer.h"

// transport -> Feed -> stages -> run() -> Storing -> split -> a file. Storing is the one sink: it
// counts, leaves out, and looks ten times a second at what time, disk and others ask for.

namespace kitbag {

namespace recording {

constexpr Duration kLook = std::chrono::milliseconds(100);
/// When a stop was asked for, this long at most is spent on what has come before.
constexpr Duration kDrainTime = std::chrono::milliseconds(1500);

/// What other threads ask of a recording, and what they are told.
struct Shared {
  std::atomic<bool> is_paused = false;
  std::atomic<bool> wants_snapshot = false;
  mutable std::mutex mutex;
  RecordStatus status;
  std::vector<Error> warnings;  ///< of other threads
};

class Storing final : public Sink {
 public:
  Storing(const RecordOptions& options, const Session& session, Shared& shared, LiveSource& source)
      : options_(options),
        session_(session),
        shared_(shared),
        source_(source),
        names_(options.target, options.snapshot.has_value(), session),
        system_(session.file_system(names_.path())),
        retention_(options.target.keep, names_, system_, removing_part()),
        memory_(std::make_shared<LatchedMemory>(options.on_warning)),
        strays_(options.on_warning),
        start_(session.clock()->steady()),
        next_look_(start_) {
    if (names_.is_directory() && options.snapshot) {
      throw Error(ErrorCode::invalid,
                  "snapshots cannot be written to a directory; specify a file name",
                  options.target.path);
    }
    if (!options_.snapshot) {
      files_ = split(options.target.split, next_files());
      return;
    }
    snapshot_.emplace(*options_.snapshot,
                      [this](Batch&& old) { memory_->widen(old), memory_->remember(old); });
  }

  void write(Batch&& batch) override {
    strays_.drop(batch);
    if (batch.channels) declare(*batch.channels);
    if (shared_.is_paused) batch.drop_if([](const Message&) { return true; });
    if (options_.limit && !batch.empty()) drop_beyond_limit(batch);
    status_.messages += batch.messages().size();
    status_.bytes += batch.payload();
    if (snapshot_) return snapshot_->add(std::move(batch));
    if (repeats()) memory_->widen(batch);
    files_->write(std::move(batch));
  }

  SteadyTime due() const override { return std::min(next_look_, files_ ? files_->due() : kNever); }

  void tick(SteadyTime now) override {
    if (files_ && now >= files_->due()) files_->tick(now);
    if (now < next_look_) return;
    next_look_ = now + kLook;
    look(now);
  }

  void flush() override {
    if (files_) files_->flush();
  }

  /// Completes the files.
  void close() override {
    if (snapshot_) return;
    Batch last;
    last.extras.emplace_back(report());
    files_->write(std::move(last));
    files_->close();
    look(session_.clock()->steady());
  }

  /// `hurry` is requested when draining takes too long.
  void begin(const std::function<void(const RecordStatus&)>& on_status, const std::stop_token& stop,
             std::stop_source hurry) {
    on_status_ = on_status;
    stop_ = stop;
    hurry_ = std::move(hurry);
  }

 private:
  bool repeats() const {
    return options_.target.repeat_latched && (options_.target.split.any() || snapshot_);
  }

  SplitFiles next_files() {
    WriteOptions write = options_.target.write;
    write.is_visible = true;
    write.format = names_.format();
    if (write.chunk_duration == Duration::zero()) write.chunk_duration = kLook;
    if (names_.is_directory()) {
      SplitFiles files = split_to(names_.path(), write, session_);
      files.next = [this, next = files.next](std::size_t index) {
        if (index == 0) status_.files.push_back(names_.path());
        return opened(next(index), [this](std::uint64_t messages) {
          open_ = nullptr;
          if (options_.target.keep.any()) keep_newest_part(messages);
        });
      };
      return files;
    }
    return {[this, write](std::size_t) {
      std::string path = names_.next(session_.clock()->wall(), options_.on_warning);
      std::string active = names_.active(path);
      auto writer = session_.create(active, write);
      auto there = system_->status(active);
      FileId written = there ? there->id : FileId();
      status_.files.push_back(path);
      auto on_closed = [this, path, written](std::uint64_t messages) {
        open_ = nullptr;
        status_.files.back() = names_.complete(path, written);
        retention_.add(status_.files.back(), messages, session_.clock()->wall());
      };
      return opened(std::move(writer), on_closed);
    }};
  }

  /// What is repeated is not counted.
  std::unique_ptr<Writer> opened(std::unique_ptr<Writer> file,
                                 std::function<void(std::uint64_t)> on_closed) {
    if (repeats()) file = with_repeats(std::move(file), memory_);
    auto writer = std::make_unique<ClosingWriter>(std::move(file), std::move(on_closed));
    open_ = writer.get();
    return writer;
  }

  /// Of a directory, what is to happen before one of its files goes.
  std::function<void(const std::string&)> removing_part() const {
    if (!names_.is_directory()) return {};
    return [this](const std::string& part) {
      const Format* format = match_format(session_.registry(), session_.input_at(names_.path()));
      if (!format || !format->remove_part) {
        throw Error(ErrorCode::unsupported,
                    "cannot be deleted: the directory's metadata requires it", part);
      }
      format->remove_part(names_.path(), part, session_);
    };
  }

  void keep_newest_part(std::uint64_t messages) {
    Input input = session_.input_at(names_.path());
    const Format* format = match_format(session_.registry(), input);
    if (!format || !format->parts) return;
    auto parts = format->parts(input, session_);
    if (!parts.empty()) retention_.add(parts.back(), messages, session_.clock()->wall());
  }

  void declare(const Channels& channels) {
    for (; declared_ < channels.size(); ++declared_) {
      const ChannelPtr& channel = channels[declared_];
      if (!channel) continue;
      topics_.insert(channel->topic);
      if (is_undefined(*channel)) status_.undefined.insert(channel->topic);
    }
    status_.topics = topics_.size();
  }

  bool is_undefined(const Channel& channel) const {
    const Codec* codec = find_codec(session_.registry(), channel.encoding);
    if (!codec || codec->is_self_describing) return false;  // nobody decodes it, or needs nothing
    if (!channel.schema) return true;
    const Language* language = find_language(session_.registry(), channel.schema->language);
    if (language && language->files) return lacks_definition(channel, *language->files);
    return channel.schema->text.empty();
  }

  void drop_beyond_limit(Batch& batch) {
    for (std::size_t slot = taken_of_.size(); slot < batch.channels->size(); ++slot) {
      const ChannelPtr& channel = (*batch.channels)[slot];
      taken_of_.push_back(channel ? &taken_[channel->topic] : nullptr);
    }
    batch.drop_if([this](const Message& message) {
      return ++*taken_of_[message.channel->slot] > *options_.limit;
    });
    bool all = !topics_.empty();
    for (const std::string& topic : topics_) {
      auto taken = taken_.find(topic);
      all &= taken != taken_.end() && taken->second >= *options_.limit;
    }
    if (all) end("every topic has reached the message limit");
  }

  /// Nothing new comes in; what has come is still stored.
  void end(const std::string& why) {
    if (!status_.ended.empty()) return;
    status_.ended = why;
    source_.stop();
  }

  void look(SteadyTime now) {
    status_.elapsed = now - start_;
    if (stop_.stop_requested() && !stopped_) stopped_ = now;
    if (stopped_ && now - *stopped_ > kDrainTime) hurry_.request_stop();
    status_.is_paused = shared_.is_paused;
    status_.dropped = dropped();
    status_.lost = by_topic(source_.lost());
    status_.buffered_bytes = source_.held_bytes();
    if (options_.duration && status_.elapsed >= *options_.duration) end("the duration has elapsed");
    if (shared_.wants_snapshot.exchange(false) && snapshot_) write_snapshot();
    status_.held_bytes = snapshot_ ? snapshot_->held_bytes() : 0;
    enforce();
    look_at_disk();
    count_gone();
    tell_warnings();
    {
      std::lock_guard lock(shared_.mutex);
      shared_.status = status_;
    }
    if (on_status_) on_status_(status_);
  }

  void enforce() {
    if (!options_.target.keep.any()) return;
    std::optional<std::uint64_t> open_bytes;
    if (open_) open_bytes = open_->size_bytes();
    retention_.enforce(open_bytes, session_.clock()->wall());
  }

  void look_at_disk() {
    status_.free_bytes = system_->free_bytes(names_.folder());
    if (status_.free_bytes >= options_.target.min_free_bytes) return;
    if (options_.target.keep.any() && retention_.drop_oldest()) return;
    end("the free disk space is below the limit");
  }

  void count_gone() {
    FileRetention::Gone gone = retention_.take_gone();
    status_.deleted_files += gone.files.size();
    status_.deleted_messages += gone.messages;
    for (const std::string& file : gone.files) std::erase(status_.files, file);
  }

  void tell_warnings() {
    std::vector<Error> warnings = retention_.take_errors();
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

  std::map<std::string, std::uint64_t> by_topic(const std::vector<std::uint64_t>& counts) const {
    std::map<std::string, std::uint64_t> topics;
    ChannelsPtr channels = source_.channels();
    for (std::size_t slot = 0; slot < counts.size() && slot < channels->size(); ++slot) {
      if (counts[slot] > 0) topics[(*channels)[slot]->topic] += counts[slot];
    }
    return topics;
  }

  /// Those for which there was no room, and those that a bag cannot hold beside others.
  std::map<std::string, std::uint64_t> dropped() const {
    std::map<std::string, std::uint64_t> topics = by_topic(source_.dropped());
    for (const auto& [topic, count] : strays_.dropped()) {
      if (count > 0) topics[topic] += count;
    }
    return topics;
  }

  Metadata report() const {
    Metadata report{"kitbag_recording", {}};
    report.values["from"] = options_.from;
    report.values["messages"] = std::to_string(status_.messages);
    put_counts(report, "dropped", dropped());
    put_counts(report, "lost", by_topic(source_.lost()));
    return report;
  }

  static void put_counts(Metadata& report, const std::string& what,
                         const std::map<std::string, std::uint64_t>& counts) {
    std::uint64_t all = 0;
    for (const auto& [topic, count] : counts) {
      report.values[what + " " + topic] = std::to_string(count);
      all += count;
    }
    report.values[what] = std::to_string(all);
  }

  void write_snapshot() {
    auto batches = snapshot_->take();
    if (batches.empty()) return;
    auto file = split(options_.target.split, next_files());
    for (Batch& batch : batches) {
      if (repeats()) memory_->widen(batch);
      file->write(std::move(batch));
    }
    file->close();
  }

  const RecordOptions& options_;
  Session session_;
  Shared& shared_;
  LiveSource& source_;
  FileNames names_;
  FileSystemPtr system_;
  FileRetention retention_;
  std::shared_ptr<LatchedMemory> memory_;
  StrayEncodings strays_;
  SteadyTime start_;
  SteadyTime next_look_;
  std::optional<SnapshotMemory> snapshot_;
  std::unique_ptr<Sink> files_;  ///< absent with a snapshot
  const Writer* open_ = nullptr;
  RecordStatus status_;
  std::size_t declared_ = 0;  ///< slots
  std::set<std::string> topics_;
  std::map<std::string, std::uint64_t> taken_;  ///< by topic
  std::vector<std::uint64_t*> taken_of_;        ///< in it, by slot
  std::function<void(const RecordStatus&)> on_status_;
  std::stop_token stop_;
  std::stop_source hurry_{std::nostopstate};
  std::optional<SteadyTime> stopped_;
};

}  // namespace recording

struct Recorder::State {
  State(RecordOptions with, const Session& given)
      : options(std::move(with)),
        session(given.with_clock(
            forward_clock(given.clock(), [this](Duration back) { tell_jump(back); }))) {
    shared.is_paused = options.starts_paused;
    Subscription wanted{options.select, options.expected,
                        [this](const Error& warning) { keep(warning); }};
    auto opened = session.listen(options.from, wanted, options.feed);
    live = opened.get();
    source = std::move(opened);
    if (options.uses_sim_time) source = through(std::move(source), sim_time());
    if (!options.throttle.empty()) source = through(std::move(source), throttle(options.throttle));
    if (options.stages) source = options.stages(std::move(source));
    storing.emplace(options, session, shared, *live);
  }

  /// When the source has failed. When it was a file, that fails again, and stays as it is.
  void complete_what_is_there() {
    try {
      storing->close();
    } catch (const Error&) {
      return;  // the first error is the one to be told
    }
  }

  /// To be told on the recording's thread.
  void keep(const Error& warning) {
    std::lock_guard lock(shared.mutex);
    shared.warnings.push_back(warning);
  }

  void tell_jump(Duration back) {
    double seconds = std::chrono::duration<double>(back).count();
    keep(Error(
        ErrorCode::invalid,
        fmt::format(
            "the system clock was set back by {:.1f} s; log times continue as if it had not been",
            seconds)));
  }

  RecordOptions options;
  recording::Shared shared;
  Session session;  ///< with a clock that never runs back
  std::unique_ptr<Source> source;
  LiveSource* live = nullptr;  ///< inside `source`
  std::optional<recording::Storing> storing;
};

Recorder::Recorder(RecordOptions options, const Session& session)
    : state_(std::make_unique<State>(std::move(options), session)) {}

Recorder::~Recorder() = default;

RecordStatus Recorder::run(const std::stop_token& stop,
                           const std::function<void(const RecordStatus&)>& on_status) {
  State& state = *state_;
  std::stop_source hurry;
  state.storing->begin(on_status, stop, hurry);
  std::stop_callback on_stop(stop, [&] { state.live->stop(); });
  try {
    kitbag::run(*state.source, *state.storing, *state.session.clock(), hurry.get_token());
  } catch (...) {
    state.complete_what_is_there();
    throw;
  }
  state.storing->close();
  return status();
}

void Recorder::pause() {
  state_->shared.is_paused = true;
}

void Recorder::resume() {
  state_->shared.is_paused = false;
}

void Recorder::snapshot() {
  state_->shared.wants_snapshot = true;
}

RecordStatus Recorder::status() const {
  std::lock_guard lock(state_->shared.mutex);
  return state_->shared.status;
}

}  // namespace kitbag
