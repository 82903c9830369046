#include "stream/repeats.h"

namespace kitbag {

namespace {

class WithoutRepeats final : public Stage {
 public:
  ChannelPtr map(const ChannelPtr& channel) override {
    return is_repeated(*channel) ? nullptr : channel;
  }
};

/// Calls `action` with each channel of repeats.
template <class Action>
void each_repeated(const Summary& summary, Action action) {
  if (!summary.channels) return;
  for (const ChannelPtr& channel : *summary.channels) {
    if (channel && is_repeated(*channel)) action(*channel);
  }
}

}  // namespace

std::uint64_t repeats_in(const Summary& summary) {
  std::uint64_t messages = 0;
  each_repeated(summary,
                [&](const Channel& channel) { messages += summary.message_counts[channel.slot]; });
  return messages;
}

bool has_repeats(const Summary& summary) {
  bool any = false;
  each_repeated(summary, [&](const Channel&) { any = true; });
  return any;
}

std::unique_ptr<Source> without_repeats(std::unique_ptr<Source> source) {
  return through(std::move(source), std::make_unique<WithoutRepeats>());
}

}  // namespace kitbag
