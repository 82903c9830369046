#include "live/record/recorded_topics.h"

#include <algorithm>

#include "definitions/fingerprint.h"
#include "kitbag/codec.h"

namespace kitbag {

void RecordedTopics::declare(const Channels& channels) {
  for (; declared_ < channels.size(); ++declared_) {
    const ChannelPtr& channel = channels[declared_];
    if (!channel) continue;
    topics_.insert(channel->topic);
    if (is_undefined(*channel)) undefined_.insert(channel->topic);
  }
}

bool RecordedTopics::is_undefined(const Channel& channel) const {
  const Codec* codec = find_codec(session_.registry(), channel.encoding);
  if (!codec || codec->is_self_describing) return false;  // nobody decodes it, or needs nothing
  if (!channel.schema) return true;
  const Language* language = find_language(session_.registry(), channel.schema->language);
  if (language && language->files) return lacks_definition(channel, *language->files);
  return channel.schema->text.empty();
}

void RecordedTopics::drop_beyond_limit(Batch& batch) {
  if (!limit_ || batch.empty()) return;
  for (std::size_t slot = taken_of_.size(); slot < batch.channels->size(); ++slot) {
    const ChannelPtr& channel = (*batch.channels)[slot];
    // By topic, since a topic may have several channels; these pointers into a map stay valid.
    taken_of_.push_back(channel ? &taken_[channel->topic] : nullptr);
  }
  batch.drop_if(
      [this](const Message& message) { return ++*taken_of_[message.channel->slot] > *limit_; });
}

bool RecordedTopics::are_complete() const {
  return limit_ && !topics_.empty() &&
         std::all_of(topics_.begin(), topics_.end(), [this](const std::string& topic) {
           auto taken = taken_.find(topic);
           return taken != taken_.end() && taken->second >= *limit_;
         });
}

void RecordedTopics::tell(RecordStatus& status) const {
  status.topics = topics_.size();
  status.undefined = undefined_;
}

}  // namespace kitbag
