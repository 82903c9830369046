#include "kitbag/live.h"

#include <fmt/format.h>

#include <thread>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/open.h"
#include "kitbag/pipeline.h"
#include "pipeline/open_transport.h"

namespace kitbag {
namespace {

/// A bag that happens now.
class PlayedBag final : public LiveSource {
 public:
  PlayedBag(const Bag& bag, const Query& query, const FeedOptions& options, Clock& clock)
      : feed_(options.bytes, options.on_full, clock), source_(pace(bag.read(query), clock)) {
    declare(*source_->channels());
    player_ = std::jthread([this](const std::stop_token& stop) { play(stop); });
  }
  ~PlayedBag() override {
    stop();
    feed_.abandon();
  }

  ChannelsPtr channels() const override { return feed_.channels(); }
  bool read(Batch& batch, const Wait& wait) override { return feed_.read(batch, wait); }
  void stop() override { player_.request_stop(); }
  std::vector<std::uint64_t> dropped() const override { return feed_.dropped(); }

 private:
  void declare(const Channels& channels) {
    for (std::size_t slot = own_.size(); slot < channels.size(); ++slot) {
      own_.push_back(channels[slot] ? feed_.add(*channels[slot]) : nullptr);
    }
  }

  void play(const std::stop_token& stop) {
    try {
      while (!stop.stop_requested()) {
        auto batch = std::make_shared<Batch>();
        if (!source_->read(*batch, {stop, kNever})) break;
        if (batch->channels) declare(*batch->channels);
        for (Message message : batch->messages()) {
          message.channel = own_[message.channel->slot].get();
          feed_.push(message, batch);
        }
      }
      feed_.close();
    } catch (...) {
      feed_.fail(std::current_exception());
    }
  }

  Feed feed_;
  std::unique_ptr<Source> source_;
  Channels own_;         ///< the feed's, by the source's slots
  std::jthread player_;  ///< last: it ends before the rest is gone
};

}  // namespace

std::unique_ptr<LiveSource> listen(const std::string& uri, const Selection& select,
                                   const FeedOptions& options, const Registry& registry,
                                   Clock& clock) {
  auto location = location_of(uri);
  const Transport* transport = location ? find_transport(registry, location->scheme) : nullptr;
  if (!transport) {
    throw Error(ErrorCode::invalid, "is no live system that kitbag knows, such as demo://", uri);
  }
  Query query;
  query.select = select;
  BagPtr bag = open_transport(*transport, *location, registry);
  return std::make_unique<PlayedBag>(*bag, query, options, clock);
}

}  // namespace kitbag
