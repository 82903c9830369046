#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/time.h"
#include "transport/ros2/messages.h"

namespace kitbag::ros2 {

/// Which request a reply belongs to, for clients that look for it in the RTPS message.
struct ReplyMark {
  Guid writer{};                     ///< that sends the reply
  std::uint64_t number = 0;          ///< that it gives the reply
  Guid client{};                     ///< the writer of the request
  std::uint64_t request_number = 0;  ///< that it gave the request
};

/// The RTPS message `packet` with the inline QoS of what `marks` names. Absent: it has nothing of
/// that, is no well-formed message, or has no room for more.
std::optional<std::vector<std::byte>> with_marks(ByteView packet,
                                                 const std::vector<ReplyMark>& marks);

/// How long a mark is needed: a reply that was lost is sent again sooner.
inline constexpr Duration kMarkLife = std::chrono::seconds(10);

}  // namespace kitbag::ros2
