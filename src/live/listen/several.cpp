#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/listen.h"
#include "kitbag/open.h"
#include "live/listen/turns.h"

// Several live systems as one. Each has a feed of its own, so that it is dropped from, or held
// back, by its own rules.
//
// A system that cannot be reached, at the start or later, does not end the others: it is listened
// to again after a second, then after twice as long each time. To find out whether it is there may
// take seconds, so each attempt has a thread of its own, while the reader goes on with the others.
//
// All but stop(), status calls and the attempts run on the reader's thread. So only what those
// others see is changed with the lock: which source a system has, and the counts of its earlier
// sources. A source that is lost is destroyed without the lock, because its threads are joined
// there.
//
// A system that comes back brings a new table of channels and counts from zero. Channels of equal
// content keep their slots (Turns), and what the lost source had counted is kept, so that the sums
// only grow.
//
// Only an error of the kind `io` means that a system is missing. Any other one, such as an invalid
// parameter, would come again at the next attempt; at the start and while reading it ends
// everything. A system that is missing and comes back as something else does not end the recording
// of the others: the new reason is reported, and the attempts go on.

namespace kitbag {
namespace {

constexpr Duration kFirstDelay = std::chrono::seconds(1);
/// Between two attempts. A system that was there for longer is tried after kFirstDelay again.
constexpr Duration kLongestDelay = std::chrono::seconds(30);

/// What it takes to listen to a system.
struct Call {
  std::string uri;
  Subscription wanted;
  FeedOptions options;
  Session session;

  std::unique_ptr<LiveSource> operator()() const { return session.listen(uri, wanted, options); }
};

class SeveralSystems final : public LiveSource {
 public:
  /// Throws Error: that of the first system if none can be reached, and any other than io.
  SeveralSystems(std::vector<Call> calls, OnWarning on_warning, ClockPtr clock)
      : clock_(clock), on_warning_(std::move(on_warning)), turns_(std::move(clock), reader()) {
    for (Call& call : calls) {
      System& system = systems_.emplace_back();
      system.call = std::move(call);
      try {
        system.source = system.call();
      } catch (const Error& error) {
        if (error.code() != ErrorCode::io) throw;
        system.error = error;
      }
      turns_.add(system.source ? system.source->channels() : nullptr);
    }
    require_any();
    for (System& system : systems_) {
      if (!system.source) try_later(system);
    }
  }

  ChannelsPtr channels() const override { return turns_.channels(); }
  bool read(Batch& batch, const Wait& wait) override { return turns_.read(batch, wait); }
  void stop() override {
    std::lock_guard lock(mutex_);
    is_stopped_ = true;
    for (System& system : systems_) {
      if (system.source) system.source->stop();
    }
  }

  void abandon() override {
    std::lock_guard lock(mutex_);
    for (System& system : systems_) {
      if (system.source) system.source->abandon();
    }
  }

  std::vector<std::uint64_t> dropped() const override {
    return sum_of(&LiveSource::dropped, &System::dropped_before);
  }
  std::vector<std::uint64_t> lost() const override {
    return sum_of(&LiveSource::lost, &System::lost_before);
  }
  std::size_t held_bytes() const override {
    std::lock_guard lock(mutex_);
    std::size_t bytes = 0;
    for (const System& system : systems_) bytes += system.source ? system.source->held_bytes() : 0;
    return bytes;
  }
  std::vector<std::string> missing() const override {
    std::lock_guard lock(mutex_);
    std::vector<std::string> uris;
    for (const System& system : systems_) {
      if (!system.source) uris.push_back(without_parameters(system.call.uri));
    }
    return uris;
  }
  /// Systems are asked without the lock, because their answers may take a while.
  std::optional<std::vector<LiveTopic>> topics() const override {
    std::vector<std::shared_ptr<LiveSource>> sources;
    {
      std::lock_guard lock(mutex_);
      for (const System& system : systems_) {
        if (system.source) sources.push_back(system.source);
      }
    }
    bool can_any_say = false;
    std::map<std::pair<std::string, std::string>, LiveTopic> found;
    for (const auto& source : sources) {
      auto topics = source->topics();
      can_any_say |= topics.has_value();
      if (!topics) continue;
      for (LiveTopic& each : *topics) add(each, found[{each.topic, each.type}]);
    }
    if (!can_any_say) return std::nullopt;
    std::vector<LiveTopic> all;
    all.reserve(found.size());
    for (auto& [names, topic] : found) all.push_back(std::move(topic));
    return all;
  }
  void offer(Recorder& recorder) override {
    std::lock_guard lock(mutex_);
    recorder_ = &recorder;
    for (System& system : systems_) {
      if (system.source) system.source->offer(recorder);
    }
  }
  void tell(const FileChange& change) override {
    std::lock_guard lock(mutex_);
    for (System& system : systems_) {
      if (system.source) system.source->tell(change);
    }
  }

 private:
  using Counts = std::vector<std::uint64_t>;  // by slot

  struct System {
    Call call;
    std::shared_ptr<LiveSource> source;  ///< null: it is missing; changed with the lock
    bool has_ended = false;
    SteadyTime since{};                                ///< it is there
    std::optional<Error> error = std::nullopt;         ///< why it is missing
    Duration delay{};                                  ///< before the last attempt
    SteadyTime next_try{};                             ///< if it is missing
    std::future<std::unique_ptr<LiveSource>> attempt;  ///< under way
    Counts dropped_before;                             ///< by earlier sources, with the lock
    Counts lost_before;
  };

  /// Equal topics of several systems are one.
  static void add(const LiveTopic& topic, LiveTopic& to) {
    to.topic = topic.topic;
    to.type = topic.type;
    to.publishers.insert(to.publishers.end(), topic.publishers.begin(), topic.publishers.end());
    to.subscribers.insert(to.subscribers.end(), topic.subscribers.begin(), topic.subscribers.end());
  }

  Turns::ReadInput reader() {
    return [this](std::size_t index, Batch& batch, const std::stop_token& stop) {
      return read(index, batch, stop);
    };
  }

  /// False: the system has ended.
  bool read(std::size_t index, Batch& batch, const std::stop_token& stop) {
    System& system = systems_[index];
    if (!system.source && !find(index)) return !is_stopped();
    try {
      system.has_ended = !system.source->read(batch, {stop, SteadyTime::min()});
    } catch (const Error& error) {
      if (error.code() != ErrorCode::io) throw;
      batch.clear();
      lose(index, error);
    }
    if (!is_stopped()) require_any();
    return !system.has_ended;
  }

  bool is_stopped() const {
    std::lock_guard lock(mutex_);
    return is_stopped_;
  }

  /// While a system is there, others may be missing.
  void require_any() const {
    const System* missing = nullptr;
    for (const System& system : systems_) {
      if (system.source && !system.has_ended) return;
      if (!system.source && !missing) missing = &system;
    }
    if (missing) throw Error(*missing->error);
  }

  /// Looks whether a missing system is there now.
  bool find(std::size_t index) {
    System& system = systems_[index];
    if (is_stopped()) return false;
    SteadyTime now = clock_->steady();
    if (!system.attempt.valid()) {
      if (now >= system.next_try) system.attempt = std::async(std::launch::async, system.call);
      return false;
    }
    if (system.attempt.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
    try {
      take(index, system.attempt.get(), now);
    } catch (const Error& error) {
      bool is_new_reason = error.code() != system.error->code();
      system.error = error;
      delay_next(system);
      if (is_new_reason) warn_missing(system);
      return false;
    }
    return true;
  }

  void take(std::size_t index, std::unique_ptr<LiveSource> source, SteadyTime now) {
    System& system = systems_[index];
    turns_.replace(index, source->channels());
    system.since = now;
    {
      std::lock_guard lock(mutex_);
      if (is_stopped_) source->stop();
      if (recorder_) source->offer(*recorder_);
      system.source = std::move(source);
    }
    warn({ErrorCode::remark, "the system is there now", without_parameters(system.call.uri)});
  }

  void lose(std::size_t index, const Error& error) {
    System& system = systems_[index];
    std::shared_ptr<LiveSource> gone;  // it is destroyed without the lock
    {
      std::lock_guard lock(mutex_);
      turns_.add_counts(index, system.source->dropped(), system.dropped_before);
      turns_.add_counts(index, system.source->lost(), system.lost_before);
      gone = std::move(system.source);
    }
    if (clock_->steady() - system.since > kLongestDelay) system.delay = Duration::zero();
    system.error = error;
    try_later(system);
  }

  void try_later(System& system) {
    delay_next(system);
    if (!is_stopped()) warn_missing(system);
  }

  void warn_missing(const System& system) const {
    warn({system.error->code(),
          system.error->message() +
              "; the other systems are recorded, and kitbag tries again until this one is there",
          without_parameters(system.call.uri)});
  }

  void delay_next(System& system) {
    system.delay = std::clamp(2 * system.delay, kFirstDelay, kLongestDelay);
    system.next_try = clock_->steady() + system.delay;
  }

  void warn(const Error& warning) const {
    if (on_warning_) on_warning_(warning);
  }

  Counts sum_of(Counts (LiveSource::*counts)() const, Counts System::*before) const {
    std::lock_guard lock(mutex_);
    Counts sums(turns_.channels()->size());
    for (std::size_t i = 0; i < systems_.size(); ++i) {
      const Counts& earlier = systems_[i].*before;
      for (std::size_t slot = 0; slot < earlier.size(); ++slot) sums[slot] += earlier[slot];
      if (systems_[i].source) turns_.add_counts(i, (*systems_[i].source.*counts)(), sums);
    }
    return sums;
  }

  ClockPtr clock_;
  OnWarning on_warning_;
  mutable std::mutex mutex_;
  bool is_stopped_ = false;       ///< with the lock
  Recorder* recorder_ = nullptr;  ///< what systems that come later get offered; with the lock
  std::vector<System> systems_;
  Turns turns_;
};

/// A source and a companion.
class Joined final : public Source {
 public:
  Joined(std::unique_ptr<Source> source, std::unique_ptr<Source> companion, ClockPtr clock)
      : sources_{std::move(source), std::move(companion)},
        turns_(std::move(clock),
               [this](std::size_t index, Batch& batch, const std::stop_token& stop) {
                 return sources_[index]->read(batch, {stop, SteadyTime::min()});
               }) {
    turns_.add(sources_[0]->channels());
    turns_.add(sources_[1]->channels(), true);
  }

  ChannelsPtr channels() const override { return turns_.channels(); }
  bool read(Batch& batch, const Wait& wait) override { return turns_.read(batch, wait); }

 private:
  std::array<std::unique_ptr<Source>, 2> sources_;
  Turns turns_;
};

}  // namespace

std::unique_ptr<LiveSource> listen(const std::vector<std::string>& uris, const Subscription& wanted,
                                   const FeedOptions& options, const Session& session) {
  if (uris.empty()) throw Error(ErrorCode::invalid, "there is no live system to listen to");
  if (uris.size() == 1) return session.listen(uris.front(), wanted, options);
  FeedOptions part = options;
  part.bytes = options.bytes / uris.size();
  std::vector<Call> calls;
  calls.reserve(uris.size());
  for (const std::string& uri : uris) calls.push_back({uri, wanted, part, session});
  return std::make_unique<SeveralSystems>(std::move(calls), wanted.on_warning, session.clock());
}

std::unique_ptr<Source> join(std::unique_ptr<Source> source, std::unique_ptr<Source> companion,
                             ClockPtr clock) {
  return std::make_unique<Joined>(std::move(source), std::move(companion), std::move(clock));
}

}  // namespace kitbag
