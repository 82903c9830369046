#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "catalog/pyramid.h"
#include "kitbag/bag.h"
#include "kitbag/session.h"

namespace kitbag::catalog {

/// What the messages of a channel say.
struct ChannelNumbers {
  Pyramid pyramid;
  bool is_decoded = false;  ///< false: nothing is known of its messages
};

/// Reads all messages of a bag once, decodes them, and returns the pyramids by slot. A channel that
/// cannot be decoded, or of which one message cannot, is not decoded. Damage goes to the bag's
/// on_problem. Throws Error (io, cancelled).
std::vector<ChannelNumbers> read_numbers(const Bag& bag, const Parts& parts, const Session& session,
                                         const std::stop_token& stop);

}  // namespace kitbag::catalog
