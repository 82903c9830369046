#include "storage/writing/topic_encodings.h"

#include <fmt/format.h>

#include "kitbag/error.h"

namespace kitbag {

void TopicEncodings::add(const Channel& channel) {
  auto [known, is_new] = by_topic_.emplace(channel.topic, channel.encoding);
  if (is_new || known->second == channel.encoding) return;
  throw Error(
      ErrorCode::invalid,
      fmt::format("topic {} has messages in two encodings, {} and {}, but a bag holds one encoding "
                  "per topic; convert them to one encoding, or rename one of the topics",
                  channel.topic, known->second, channel.encoding),
      path_);
}

}  // namespace kitbag
