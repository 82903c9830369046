#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/message.h"

// What kitbag sends beside a payload is in the user header of iceoryx, so that any other program
// reads the payload as if it came from one of its own. It is the framing of other transports:
//
//   bytes  0-7   "kitbag", 0, 1
//          8-15  when it was sent, in nanoseconds of CLOCK_MONOTONIC: it orders what is sent on
//                several names
//         16-19  bytes of the topic
//         20-23  bytes of the header
//         24-    the topic; the header as JSON (docs/transports/zmq.md); zeros up to a multiple of
//         8
//
// The numbers have the byte order of the machine, which is one. On a name of descriptions, the
// topic is the prefix of the sender, and the payload any number of descriptions: bytes of the
// topic, bytes of the header (4 each), topic, header. The last message there has the header that
// tells the end.

namespace kitbag::iceoryx_transport {

/// What a user header says. Its views point into it.
struct UserHeader {
  std::int64_t sent_ns = 0;
  std::string_view topic;
  std::string_view json;
};

inline constexpr std::uint32_t kHeaderAlignment = 8;

/// The bytes of a user header; a multiple of kHeaderAlignment.
std::size_t size_of(const UserHeader& header);
/// Writes size_of() bytes.
void put(const UserHeader& header, std::byte* into);
/// Absent: it is not one of kitbag.
std::optional<UserHeader> user_header_in(ByteView bytes);

/// A description on its way.
struct Description {
  std::string_view topic;
  std::string_view json;
};
void append(const Description& description, std::string& page);
/// Those of a page, up to the first one that is invalid.
std::vector<Description> descriptions_in(ByteView page);

}  // namespace kitbag::iceoryx_transport
