#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/export.h"
#include "kitbag/time.h"

// The data that moves through kitbag. A Message is a plain view of 48 bytes: times, a sequence
// number, a pointer to its Channel and a span of payload bytes. It owns nothing. The Batch that
// carries it keeps the memory alive that its messages point at, with one owner per chunk or arena
// and none per message; so no message costs an allocation or a reference count.
//
// Channels and schemas are shared and never change. Each Source numbers its channels: a channel's
// slot is its index in the table of that Source and stays the same for the Source's life, so state
// for each channel fits into a vector.

namespace kitbag {

class ReadFile;

/// A message definition: its name, its language and its text.
struct Schema {
  std::string name;      ///< the type name as its own system writes it: "std_msgs/String"
  std::string language;  ///< "ros1msg", "ros2msg", "protobuf"; empty: there is no definition
  /// The definition with its dependencies. May be empty for a type without fields.
  std::string text;

  bool operator==(const Schema&) const = default;
};
using SchemaPtr = std::shared_ptr<const Schema>;  ///< null: no schema

/// What Message::field() keeps with a channel: the session whose codecs decode its messages, and
/// how each field that was asked for is read. A copy has the session, and begins without the rest.
/// Any thread.
class KITBAG_API ChannelFields {
 public:
  ChannelFields() = default;
  /// Takes over the session alone.
  ChannelFields(const ChannelFields& other);
  ChannelFields& operator=(const ChannelFields& other);
  ~ChannelFields();

  struct KITBAG_PRIVATE State;
  /// For the library itself. Valid as long as this object.
  State& state() const;

 private:
  mutable std::atomic<State*> state_ = nullptr;
};

/// A stream of messages of one type on one topic. ROS 1 calls it a connection, rosbag2 a topic,
/// MCAP a channel.
struct Channel {
  std::string topic;           ///< its name
  std::string encoding;        ///< encoding of the payloads: "ros1", "cdr", "protobuf", "json"
  SchemaPtr schema = nullptr;  ///< null: no schema
  /// Keys are those of the MCAP registry: `callerid`, `latching`, `md5sum`, `offered_qos_profiles`.
  /// Other fields of a ROS 1 connection header keep their names.
  std::map<std::string, std::string> metadata = {};
  /// Index in the channel table of the Source that returned it; fixed for the life of that Source.
  std::uint32_t slot = 0;
  /// Filled by the library; no part of what describes the channel.
  ChannelFields fields = {};

  /// Returns the name of the schema, or "" without a schema.
  KITBAG_API const std::string& type() const;
};
using ChannelPtr = std::shared_ptr<const Channel>;  ///< see Channels for null

/// Channels by slot. Null: the channel was dropped by a stage or not selected. Immutable; a Source
/// that finds new channels returns a longer copy.
using Channels = std::vector<ChannelPtr>;
using ChannelsPtr = std::shared_ptr<const Channels>;  ///< never null in a Summary

/// Returns whether topic, encoding, schema and metadata are equal. The slots may differ.
KITBAG_API bool same_content(const Channel& a, const Channel& b);

/// Returns whether the channel is latched: late subscribers receive the last message again. In ROS
/// 1, `latching` is "1" or "true"; in ROS 2, every profile of `offered_qos_profiles` is
/// transient_local.
KITBAG_API bool is_latched(const Channel& channel);

/// Returns whether the channel holds repeats: copies of the last messages of a latched channel from
/// an earlier file, which a recorder writes at the beginning of each file. A reader that reads
/// several such files as one leaves out those that an earlier file has, too.
KITBAG_API bool is_repeated(const Channel& channel);
/// The key of Channel::metadata that marks a channel of repeats.
inline constexpr const char* kRepeatedKey = "kitbag_repeated";

/// Values of Message::flags.
enum : std::uint32_t {
  kState = 1,  ///< the state before the requested range: the last message of a latched channel
};

/// A view of one message. The Batch that carries it owns what it points at.
struct Message {
  const Channel* channel;  ///< never null
  std::uint32_t sequence;  ///< as the publisher counts; 0 if the format has none
  std::uint32_t flags;     ///< kState, or 0
  Time log_time;           ///< when it was received
  Time publish_time;       ///< when it was sent; equal to log_time if the format has only one time
  ByteView data;           ///< the payload

  /// Returns a field by its path, decoded: `message.field<double>("pose.position.x")`. Defined in
  /// field.h, which says what T can be and what is thrown.
  template <class T>
  T field(std::string_view path) const;
  /// Returns the whole message as a T, such as a struct of your own (describe.h). Defined in
  /// field.h.
  template <class T>
  T as() const;
};
static_assert(sizeof(Message) == 48);

/// A file that is stored in a bag.
struct Attachment {
  std::string name;                      ///< such as a file name
  std::string media_type;                ///< "text/plain"
  Time log_time{};                       ///< when it was recorded
  Time create_time{};                    ///< when it was created; zero: not known
  std::shared_ptr<const ReadFile> data;  ///< read on demand
};

/// A named set of values that describe a bag as a whole.
struct Metadata {
  std::string name;                           ///< what kind of values they are
  std::map<std::string, std::string> values;  ///< by key
};

/// An application-specific record. It is copied unchanged between bags of one format.
struct PrivateRecord {
  std::string format;                    ///< the format that it belongs to: "mcap"
  std::uint8_t opcode = 0;               ///< kind of record, in that format
  std::shared_ptr<const ReadFile> data;  ///< its content, read on demand
};

/// What a bag holds in addition to messages.
using Extra = std::variant<Attachment, Metadata, PrivateRecord>;

/// A batch is full with this many messages, or this many bytes of payload.
inline constexpr std::size_t kBatchMessages = 256;
inline constexpr std::size_t kBatchBytes = 1 << 20;  ///< see kBatchMessages

/// Messages, and everything that they point at. Moved, never copied. One thread at a time.
class KITBAG_API Batch {
 public:
  Batch() = default;
  /// The moved-from batch is empty after clear().
  Batch(Batch&&) noexcept = default;
  Batch& operator=(Batch&&) noexcept = default;

  /// The channels of the messages, by slot. The table is longer than that of the previous batch if
  /// there are new channels. A batch without messages may declare channels.
  ChannelsPtr channels;
  /// The extras of the bag, in file order. A Source gives all of them with its first batch, which
  /// may have no messages. They keep alive what they need.
  std::vector<Extra> extras;

  /// Keeps `owner` alive as long as the messages are in this batch. `bytes_pinned` is the size of
  /// the memory that it holds. Call this once per chunk, arena or table, never once per message. An
  /// owner that is null is ignored.
  void keep(Owner owner, std::size_t bytes_pinned);
  /// Keeps the owners of `other` alive, too. Owners that this batch already has are not added
  /// again.
  void keep(const Batch& other);

  /// Adds a message. Its channel must be in `channels`, and an owner of this batch must keep its
  /// data alive.
  void add(const Message& message) {
    messages_.push_back(message);
    payload_ += message.data.size();
  }
  /// Adds messages in order, which costs less than one at a time.
  void add(std::span<const Message> messages) {
    messages_.insert(messages_.end(), messages.begin(), messages.end());
    for (const Message& message : messages) payload_ += message.data.size();
  }

  /// Replaces the data of one of messages(). An owner of this batch must keep the new data alive.
  void set_data(Message& message, ByteView data) {
    payload_ += data.size() - message.data.size();
    message.data = data;
  }

  /// Returns the messages in order. Valid until the batch is changed.
  std::span<Message> messages() { return std::span(messages_).subspan(begin_); }
  /// The same, of a batch that is not to be changed.
  std::span<const Message> messages() const { return std::span(messages_).subspan(begin_); }
  /// Returns whether there are no messages.
  bool empty() const { return begin_ == messages_.size(); }
  /// Returns whether the batch has kBatchMessages or kBatchBytes. A Source adds no more then.
  bool full() const {
    return messages_.size() - begin_ >= kBatchMessages || payload_ >= kBatchBytes;
  }

  /// Removes the messages for which `drop` returns true.
  template <class Drop>
  void drop_if(Drop drop) {
    std::size_t kept = begin_;
    for (std::size_t i = begin_; i < messages_.size(); ++i) {
      if (drop(messages_[i])) {
        payload_ -= messages_[i].data.size();
      } else {
        messages_[kept++] = messages_[i];
      }
    }
    messages_.resize(kept);
  }

  /// Moves the first `count` messages of `from`, and its extras, to the end of this batch. Both
  /// batches keep the owners. `channels` becomes that of `from` unless it is longer.
  void take_front(Batch& from, std::size_t count);

  /// Returns the size of all payloads in bytes.
  std::size_t payload() const { return payload_; }
  /// Returns the size of the memory that the owners keep alive, in bytes.
  std::size_t pinned() const { return pinned_; }
  /// Copies all payloads into one block and releases the owners. Call it before you keep a batch
  /// for long, if pinned() is much more than payload().
  void compact();
  /// Removes messages and extras and releases the owners. The channels and the capacity stay.
  KITBAG_REINITIALIZES void clear();

 private:
  std::vector<Message> messages_;
  std::vector<std::pair<Owner, std::size_t>> owners_;
  std::size_t begin_ = 0;
  std::size_t payload_ = 0;
  std::size_t pinned_ = 0;
};

}  // namespace kitbag
