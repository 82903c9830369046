#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "kitbag/message.h"

// What is said about a message beside its payload, by every transport that carries any payload:
// ZeroMQ as a frame of JSON (docs/transports/zmq.md: a message is three frames, topic, header and
// payload; a description is the first two), brokers as fields of a message and, of a description,
// as the same JSON (broker/fields.h).

namespace kitbag::framing {

inline constexpr std::size_t kMostTopicBytes = 64 << 10;
inline constexpr std::size_t kMostHeaderBytes = 16 << 20;
/// Values that a header may give in its metadata.
inline constexpr std::size_t kMostMetadata = 1024;
/// How deep the members that are not known may be nested.
inline constexpr int kMostDepth = 100;
inline constexpr std::size_t kMessageFrames = 3;

/// What a header says. Everything may be absent.
struct Header {
  std::string id;  ///< of the sender's channel; empty: the header itself describes the channel
  std::string encoding;
  std::optional<Schema> schema;
  std::map<std::string, std::string> metadata;
  std::optional<Time> log_time;  ///< when the sender had it
  std::optional<Time> publish_time;
  std::uint32_t sequence = 0;
  /// Of the sender, as long as it runs, and of the message among those of its sender and channel,
  /// from 1: what is missing between two numbers was lost. 0: they are not known. In a description,
  /// `number` is the last that its sender sends; 0: it goes on.
  std::uint64_t sender = 0;
  std::uint64_t number = 0;  ///< see sender
  bool is_end = false;       ///< the sender sends no more
};

/// Nothing where it is no JSON object, a member is of another kind than it should be, or a limit is
/// exceeded. Members that are not known are ignored. Takes no more memory than the header has
/// bytes, times a small constant.
std::optional<Header> parse_header(std::string_view json);

/// What is wrong with frames that are no message.
enum class Fault {
  frames,  ///< they are neither two nor three
  topic,   ///< it is too long
  header,  ///< it is too long, no JSON object, or has a member of the wrong kind
  utf8,    ///< the topic is not UTF-8
  field,   ///< a field has no such value, or there are too many
};
inline constexpr std::size_t kFaults = 5;
/// "it has neither two frames nor three"
std::string_view describe(Fault fault);

/// What frames say; its views point into the frames.
struct Parsed {
  enum class Kind { message, description, end };

  Kind kind = Kind::message;
  std::string_view topic;
  Header header;
  ByteView payload;  ///< of a message
};

/// A pure function of the frames.
std::variant<Parsed, Fault> parse_frames(std::span<const ByteView> frames);

/// A channel as this side sends it.
class ChannelHeader {
 public:
  explicit ChannelHeader(const Channel& channel);

  /// The name that the channel has in headers.
  const std::string& id() const { return id_; }
  /// The header of its description.
  const std::string& description() const { return description_; }
  /// The header of a message. Valid until the next call.
  std::string_view of(const Message& message);

 private:
  std::string id_;
  std::string description_;
  std::string begin_;  ///< of a message's header
  std::string text_;
};

/// The header that says that no more will come.
inline constexpr std::string_view kEndHeader = R"({"end":true})";

}  // namespace kitbag::framing
