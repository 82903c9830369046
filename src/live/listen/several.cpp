#include <algorithm>
#include <mutex>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/feed.h"
#include "kitbag/listen.h"
#include "stream/channel_table.h"

// Several systems as one source. Each has a feed of its own, so that it is dropped from, or held
// back, by its own rules. The reader asks one after the other what is at hand and, if there is
// nothing, sleeps as long as a feed gathers messages in any case: a message waits no longer than
// with one system, and no thread and no copy stands between the feeds and the reader.

namespace kitbag {
namespace {

class SeveralSystems final : public LiveSource {
 public:
  SeveralSystems(std::vector<std::unique_ptr<LiveSource>> sources, ClockPtr clock)
      : clock_(std::move(clock)), inputs_(sources.size()) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      inputs_[i].source = std::move(sources[i]);
      take_channels(inputs_[i], inputs_[i].source->channels());
    }
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
        Wait nothing{wait.stop, SteadyTime::min()};
        if (!input.source->read(batch, nothing)) {
          input.has_ended = true;
          continue;
        }
        is_over = false;
        bool is_declaring = take_channels(input, std::exchange(batch.channels, nullptr));
        if (batch.empty() && batch.extras.empty() && !is_declaring) continue;
        for (Message& message : batch.messages()) {
          message.channel = input.mapped[message.channel->slot];
        }
        batch.channels = channels();
        next_ = (next_ + i + 1) % inputs_.size();
        return true;
      }
      if (is_over) return false;
      SteadyTime now = clock_->steady();
      if (wait.stop.stop_requested() || now >= wait.until) return true;
      clock_->sleep({wait.stop, std::min(wait.until, now + Feed::kGather)});
    }
  }

  void stop() override {
    for (Input& each : inputs_) each.source->stop();
  }
  std::vector<std::uint64_t> dropped() const override { return sum_of(&LiveSource::dropped); }
  std::vector<std::uint64_t> lost() const override { return sum_of(&LiveSource::lost); }
  std::size_t held_bytes() const override {
    std::size_t bytes = 0;
    for (const Input& each : inputs_) bytes += each.source->held_bytes();
    return bytes;
  }

 private:
  struct Input {
    std::unique_ptr<LiveSource> source;
    ChannelsPtr given;
    std::vector<const Channel*> mapped;  ///< the table's, by the source's slot
    bool has_ended = false;
  };

  /// Returns whether there are new ones.
  bool take_channels(Input& input, ChannelsPtr given) {
    if (!given || given == input.given) return false;
    input.given = std::move(given);
    std::lock_guard lock(mutex_);
    std::size_t before = input.mapped.size();
    table_.add(*input.given, input.mapped);
    return input.mapped.size() > before;
  }

  /// Counts of all systems by the slots of the table.
  std::vector<std::uint64_t> sum_of(std::vector<std::uint64_t> (LiveSource::*counts)()
                                        const) const {
    std::lock_guard lock(mutex_);
    std::vector<std::uint64_t> sums(table_.channels()->size());
    for (const Input& each : inputs_) {
      std::vector<std::uint64_t> own = ((*each.source).*counts)();
      for (std::size_t slot = 0; slot < std::min(own.size(), each.mapped.size()); ++slot) {
        if (each.mapped[slot]) sums[each.mapped[slot]->slot] += own[slot];
      }
    }
    return sums;
  }

  ClockPtr clock_;
  std::size_t next_ = 0;  ///< the input that is read first, so that none is always last
  mutable std::mutex mutex_;
  ChannelTable table_;         ///< with the lock
  std::vector<Input> inputs_;  ///< `mapped` with the lock; the rest is the reader's
};

}  // namespace

std::unique_ptr<LiveSource> listen(const std::vector<std::string>& uris, const Subscription& wanted,
                                   const FeedOptions& options, const Session& session) {
  if (uris.empty()) throw Error(ErrorCode::invalid, "there is no live system to listen to");
  if (uris.size() == 1) return session.listen(uris.front(), wanted, options);
  FeedOptions part = options;
  part.bytes = options.bytes / uris.size();
  std::vector<std::unique_ptr<LiveSource>> sources;
  sources.reserve(uris.size());
  for (const std::string& uri : uris) sources.push_back(session.listen(uri, wanted, part));
  return std::make_unique<SeveralSystems>(std::move(sources), session.clock());
}

}  // namespace kitbag
