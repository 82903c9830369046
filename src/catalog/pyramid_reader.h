#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "catalog/pyramid.h"
#include "kitbag/bag.h"
#include "kitbag/session.h"

namespace kitbag::catalog {

/// What the messages of a channel say.
struct ChannelNumbers {
  Pyramid pyramid;
  bool is_decoded = false;      ///< false: nothing is known of its messages
  std::uint64_t undecoded = 0;  ///< messages that cannot be decoded
};

/// Reads all messages of a bag once, decodes them, and returns the pyramids by slot. `on_message`
/// is called with each message, by log time. A channel that has no decoder, or of which hardly a
/// message can be decoded, is not decoded. Damage goes to the bag's on_problem. Throws Error (io,
/// cancelled).
std::vector<ChannelNumbers> read_numbers(
    const Bag& bag, const Parts& parts, const Session& session,
    const std::function<void(const Message& message)>& on_message, const std::stop_token& stop);

}  // namespace kitbag::catalog
