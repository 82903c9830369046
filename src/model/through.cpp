#include <fmt/format.h>

#include "kitbag/error.h"
#include "kitbag/stream.h"

// A table of channels only grows, and slots are never reused, so what was mapped stays mapped: when
// the source comes with a longer table, its new end is mapped, and the old part is not looked at.

namespace kitbag {
namespace {

/// The one place that keeps the mapped channel table. Slots stay, so that a message finds its
/// mapped channel by index; where the stage leaves all channels as they are, messages are not
/// touched at all.
class Through final : public Source {
 public:
  Through(std::unique_ptr<Source> source, std::unique_ptr<Stage> stage)
      : source_(std::move(source)),
        stage_(std::move(stage)),
        mapped_(std::make_shared<const Channels>()) {
    map_new(source_->channels());
  }

  ChannelsPtr channels() const override { return mapped_; }

  bool read(Batch& batch, const Wait& wait) override {
    batch.channels.reset();
    if (!source_->read(batch, wait)) return false;
    if (batch.channels && batch.channels != given_) map_new(batch.channels);
    if (is_changed_) move_to_mapped(batch);
    batch.channels = mapped_;
    stage_->apply(batch);
    return true;
  }

 private:
  void map_new(const ChannelsPtr& given) {
    if (given->size() > mapped_->size()) {
      auto longer = std::make_shared<Channels>(*mapped_);
      longer->reserve(given->size());
      while (longer->size() < given->size()) longer->push_back(map((*given)[longer->size()]));
      mapped_ = std::move(longer);
    }
    given_ = given;
  }

  ChannelPtr map(const ChannelPtr& channel) {
    if (!channel) return nullptr;
    ChannelPtr mapped = stage_->map(channel);
    if (mapped && mapped->slot != channel->slot) {
      throw Error(
          ErrorCode::invalid,
          fmt::format("a stage moved {} from slot {} to slot {}; a stage must not change slots",
                      channel->topic, channel->slot, mapped->slot));
    }
    is_changed_ |= mapped != channel;
    has_dropped_ |= !mapped;
    return mapped;
  }

  void move_to_mapped(Batch& batch) const {
    const Channels& mapped = *mapped_;
    for (Message& message : batch.messages()) {
      message.channel = mapped[message.channel->slot].get();
    }
    if (has_dropped_) {
      batch.drop_if([](const Message& message) { return message.channel == nullptr; });
    }
  }

  std::unique_ptr<Source> source_;
  std::unique_ptr<Stage> stage_;
  ChannelsPtr given_;   ///< the source's table that `mapped_` was made from
  ChannelsPtr mapped_;  ///< never null
  bool is_changed_ = false;
  bool has_dropped_ = false;
};

}  // namespace

std::unique_ptr<Source> through(std::unique_ptr<Source> source, std::unique_ptr<Stage> stage) {
  return std::make_unique<Through>(std::move(source), std::move(stage));
}

}  // namespace kitbag
