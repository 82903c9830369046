#include <algorithm>
#include <mutex>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/feed.h"
#include "kitbag/listen.h"
#include "stream/channel_table.h"

// Several sources as one. The reader asks one after the other what is at hand and, if there is
// nothing, sleeps as long as a feed gathers messages in any case: a message waits no longer than
// with one source, and no thread and no copy stands between the sources and the reader. Each live
// system has a feed of its own, so that it is dropped from, or held back, by its own rules.

namespace kitbag {
namespace {

/// Sources that are read in turn.
class InTurn final : public Source {
 public:
  explicit InTurn(ClockPtr clock) : clock_(std::move(clock)) {}

  /// All are added before the first read(). The end of a companion is not waited for.
  void add(std::unique_ptr<Source> source, bool is_companion = false) {
    Input& input = inputs_.emplace_back();
    input.source = std::move(source);
    input.is_companion = is_companion;
    take_channels(input, input.source->channels());
  }

  ChannelsPtr channels() const override {
    std::lock_guard lock(mutex_);
    return table_.channels();
  }

  bool read(Batch& batch, const Wait& wait) override {
    while (true) {
      bool is_over = true;
      for (std::size_t i = 0; i < inputs_.size(); ++i) {
        Input& input = inputs_[(next_ + i) % inputs_.size()];
        if (input.has_ended) continue;
        input.has_ended = !input.source->read(batch, {wait.stop, SteadyTime::min()});
        is_over &= input.has_ended || input.is_companion;
        if (input.has_ended || !take(input, batch)) continue;
        next_ = (next_ + i + 1) % inputs_.size();
        return true;
      }
      if (is_over) return false;
      SteadyTime now = clock_->steady();
      if (wait.stop.stop_requested() || now >= wait.until) return true;
      clock_->sleep({wait.stop, std::min(wait.until, now + Feed::kGather)});
    }
  }

  /// Sums of what `counts` has by the slots of the input with that index, by the slots of this
  /// source. Any thread.
  void add_counts(std::size_t index, const std::vector<std::uint64_t>& counts,
                  std::vector<std::uint64_t>& sums) const {
    std::lock_guard lock(mutex_);
    sums.resize(table_.channels()->size());
    const auto& mapped = inputs_[index].mapped;
    for (std::size_t slot = 0; slot < std::min(counts.size(), mapped.size()); ++slot) {
      if (mapped[slot]) sums[mapped[slot]->slot] += counts[slot];
    }
  }

 private:
  struct Input {
    std::unique_ptr<Source> source;
    bool is_companion = false;
    bool has_ended = false;
    ChannelsPtr given;
    std::vector<const Channel*> mapped;  ///< the table's, by the source's slot
  };

  /// Moves a batch to the channels of the table. False: there is nothing in it.
  bool take(Input& input, Batch& batch) {
    bool is_declaring = take_channels(input, std::exchange(batch.channels, nullptr));
    if (batch.empty() && batch.extras.empty() && !is_declaring) return false;
    for (Message& message : batch.messages()) {
      message.channel = input.mapped[message.channel->slot];
    }
    batch.channels = channels();
    return true;
  }

  /// Returns whether there are new ones.
  bool take_channels(Input& input, ChannelsPtr given) {
    if (!given || given == input.given) return false;
    input.given = std::move(given);
    std::lock_guard lock(mutex_);
    std::size_t before = input.mapped.size();
    table_.add(*input.given, input.mapped);
    return input.mapped.size() > before;
  }

  ClockPtr clock_;
  std::size_t next_ = 0;  ///< the input that is read first, so that none is always last
  mutable std::mutex mutex_;
  ChannelTable table_;         ///< with the lock
  std::vector<Input> inputs_;  ///< `mapped` with the lock; the rest is the reader's
};

class SeveralSystems final : public LiveSource {
 public:
  SeveralSystems(std::vector<std::unique_ptr<LiveSource>> systems, const ClockPtr& clock)
      : messages_(clock) {
    for (auto& each : systems) {
      systems_.push_back(each.get());
      messages_.add(std::move(each));
    }
  }

  ChannelsPtr channels() const override { return messages_.channels(); }
  bool read(Batch& batch, const Wait& wait) override { return messages_.read(batch, wait); }
  void stop() override {
    for (LiveSource* each : systems_) each->stop();
  }
  std::vector<std::uint64_t> dropped() const override { return sum_of(&LiveSource::dropped); }
  std::vector<std::uint64_t> lost() const override { return sum_of(&LiveSource::lost); }
  std::size_t held_bytes() const override {
    std::size_t bytes = 0;
    for (const LiveSource* each : systems_) bytes += each->held_bytes();
    return bytes;
  }

 private:
  std::vector<std::uint64_t> sum_of(std::vector<std::uint64_t> (LiveSource::*counts)()
                                        const) const {
    std::vector<std::uint64_t> sums;
    for (std::size_t i = 0; i < systems_.size(); ++i) {
      messages_.add_counts(i, (systems_[i]->*counts)(), sums);
    }
    return sums;
  }

  std::vector<LiveSource*> systems_;  ///< in `messages_`
  InTurn messages_;
};

}  // namespace

std::unique_ptr<LiveSource> listen(const std::vector<std::string>& uris, const Subscription& wanted,
                                   const FeedOptions& options, const Session& session) {
  if (uris.empty()) throw Error(ErrorCode::invalid, "there is no live system to listen to");
  if (uris.size() == 1) return session.listen(uris.front(), wanted, options);
  FeedOptions part = options;
  part.bytes = options.bytes / uris.size();
  std::vector<std::unique_ptr<LiveSource>> systems;
  systems.reserve(uris.size());
  for (const std::string& uri : uris) systems.push_back(session.listen(uri, wanted, part));
  return std::make_unique<SeveralSystems>(std::move(systems), session.clock());
}

std::unique_ptr<Source> join(std::unique_ptr<Source> source, std::unique_ptr<Source> companion,
                             ClockPtr clock) {
  auto joined = std::make_unique<InTurn>(std::move(clock));
  joined->add(std::move(source));
  joined->add(std::move(companion), true);
  return joined;
}

}  // namespace kitbag
