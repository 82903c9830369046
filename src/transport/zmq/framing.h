#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kitbag/message.h"

// docs/transports/zmq.md: a message is three frames, topic, header and payload; a description is
// the first two. A header is a JSON object.

namespace kitbag::zmq_transport {

inline constexpr std::size_t kMostTopicBytes = 64 << 10;
inline constexpr std::size_t kMostHeaderBytes = 16 << 20;

/// What a header says. Everything may be absent.
struct Header {
  std::string id;  ///< of the sender's channel; empty: the header itself describes the channel
  std::string encoding;
  std::optional<Schema> schema;
  std::map<std::string, std::string> metadata;
  std::optional<Time> log_time;  ///< when the sender had it
  std::optional<Time> publish_time;
  std::uint32_t sequence = 0;
  bool is_end = false;  ///< the sender sends no more
};

/// Nothing where it is no JSON object, or a member is of another kind than it should be. Members
/// that are not known are left aside.
std::optional<Header> parse_header(std::string_view json);

/// A channel as this side sends it.
class ChannelHeader {
 public:
  explicit ChannelHeader(const Channel& channel);

  /// The header of its description.
  const std::string& description() const { return description_; }
  /// The header of a message. Valid until the next call.
  std::string_view of(const Message& message);

 private:
  std::string description_;
  std::string begin_;  ///< of a message's header
  std::string text_;
};

/// The header that says that no more will come.
inline constexpr std::string_view kEndHeader = R"({"end":true})";

}  // namespace kitbag::zmq_transport
