#include <fmt/format.h>

#include "kitbag/pipeline.h"

namespace kitbag {
namespace {

class Rename final : public Stage {
 public:
  explicit Rename(std::map<std::string, std::string> topics) : topics_(std::move(topics)) {}

  ChannelPtr map(const ChannelPtr& channel) override {
    auto found = topics_.find(channel->topic);
    if (found == topics_.end() || found->second == channel->topic) return channel;
    auto renamed = std::make_shared<Channel>(*channel);
    renamed->topic = found->second;
    // A ROS 1 connection header may name its topic once more; the old name would live on there.
    renamed->metadata.erase("topic");
    return renamed;
  }

 private:
  std::map<std::string, std::string> topics_;
};

}  // namespace

std::unique_ptr<Stage> rename(std::map<std::string, std::string> topics) {
  for (const auto& [from, to] : topics) {
    if (to.empty()) {
      throw Error(ErrorCode::invalid, fmt::format("the new name of topic {} is empty", from));
    }
  }
  return std::make_unique<Rename>(std::move(topics));
}

}  // namespace kitbag
