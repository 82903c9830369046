#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/message.h"
#include "transport/framing/framing.h"

// Brokers pass on fields beside a payload: MQTT 5 as user properties, NATS as headers. kitbag says
// in them what other transports say in a header:
//
//   kitbag-channel       the name of a channel, which a description explains
//   kitbag-topic         its topic, where the name that the broker has for it does not tell
//   kitbag-encoding, kitbag-type
//   kitbag-log-time, kitbag-publish-time, kitbag-sequence
//   kitbag-sender, kitbag-number    see framing::Header
//   kitbag-end           "1": the sender has ended
//
// A description is a message of its own: its payload is the header as JSON, its topic is
// kChannelsTopic and the name of the channel. Before a sender ends, it describes each channel once
// more, with kitbag-sender and the last kitbag-number, so that a receiver knows what is missing.

namespace kitbag::broker {

/// Where descriptions and ends are sent: below the prefix, with the separator of the broker.
inline constexpr std::string_view kChannelsTopic = "/kitbag/channels/";
inline constexpr std::string_view kEndTopic = "/kitbag/end";
inline constexpr const char* kTopicField = "kitbag-topic";
inline constexpr const char* kSenderField = "kitbag-sender";
inline constexpr const char* kNumberField = "kitbag-number";
inline constexpr const char* kEndField = "kitbag-end";

/// The names of all fields.
extern const std::vector<const char*> kFieldNames;

/// What the fields of a message say. Those that kitbag does not know are ignored.
class Fields {
 public:
  void take(std::string_view name, std::string_view value);

  framing::Header header;
  std::string topic;       ///< empty: the name tells it
  bool is_valid = true;    ///< false: a field has another value than documented
  bool is_foreign = true;  ///< none of them says what the payload is
};

/// A field that is sent.
struct Field {
  const char* name;
  std::string value;
};

/// A channel as this side sends it. For one thread.
class SentChannel {
 public:
  /// `names_topic`: the broker's name of the topic does not tell it.
  SentChannel(const Channel& channel, std::uint64_t sender, bool names_topic);

  const std::string& id() const { return header_.id(); }
  /// The payload of its description.
  const std::string& description() const { return header_.description(); }
  const std::vector<Field>& description_fields() const { return description_fields_; }
  /// The fields of the description that follows the last message.
  std::vector<Field> last_description_fields() const;
  /// How many messages had fields().
  std::uint64_t messages() const { return number_; }
  /// The fields of the next message. Valid until the next call.
  const std::vector<Field>& fields(const Message& message);

 private:
  framing::ChannelHeader header_;
  std::vector<Field> description_fields_;
  std::vector<Field> fields_;
  std::size_t fixed_ = 0;  ///< fields in front that are those of each message
  std::uint64_t number_ = 0;
};

/// A random number for a sender, never 0.
std::uint64_t random_sender();

/// Whether `text` can be a field everywhere: UTF-8 without control characters.
bool is_plain(std::string_view text);

}  // namespace kitbag::broker
