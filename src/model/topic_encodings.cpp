#include "model/topic_encodings.h"

#include <fmt/format.h>

#include "kitbag/error.h"

namespace kitbag {

void TopicEncodings::add(const Channel& channel) {
  auto [known, is_new] = by_topic_.emplace(channel.topic, channel.encoding);
  if (is_new || known->second == channel.encoding) return;
  throw Error(
      ErrorCode::invalid,
      fmt::format("topic {} comes in two encodings, {} and {}, and a bag holds one a topic; "
                  "bring them to one with --encoding, or keep them apart with --rename",
                  channel.topic, known->second, channel.encoding),
      path_);
}

}  // namespace kitbag
