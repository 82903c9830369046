#pragma once

#include <vector>

#include "kitbag/transport.h"
#include "transport/ros2/participant.h"

namespace kitbag::ros2 {

/// The topics of the domain as `participant` knows them now, with those who send and receive them,
/// sorted by name and type. Endpoints of this process are left out, and so are topics with a "_" in
/// front of a part unless `with_hidden`. Any thread. Throws Error (io).
std::vector<LiveTopic> topics_of(const Participant& participant, bool with_hidden);

}  // namespace kitbag::ros2
