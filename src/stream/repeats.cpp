#include "stream/repeats.h"

#include <algorithm>

namespace kitbag {

namespace {

class WithoutRepeats final : public Stage {
 public:
  ChannelPtr map(const ChannelPtr& channel) override {
    return is_repeated(*channel) ? nullptr : channel;
  }
};

}  // namespace

std::uint64_t repeats_in(const Summary& summary) {
  std::uint64_t messages = 0;
  for (const ChannelPtr& channel : *summary.channels) {
    if (channel && is_repeated(*channel)) messages += summary.message_counts[channel->slot];
  }
  return messages;
}

bool has_repeats(const Channels& channels) {
  return std::any_of(channels.begin(), channels.end(),
                     [](const ChannelPtr& channel) { return channel && is_repeated(*channel); });
}

std::unique_ptr<Source> without_repeats(std::unique_ptr<Source> source) {
  return through(std::move(source), std::make_unique<WithoutRepeats>());
}

}  // namespace kitbag
