#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/export.h"
#include "kitbag/time.h"

namespace kitbag {

class ReadFile;

/// A named message definition in a schema language.
struct Schema {
  std::string name;      ///< the type, as its world writes it: "std_msgs/String"
  std::string language;  ///< "ros1msg", "ros2msg", "protobuf"; empty: there is no definition
  std::string text;      ///< the definition with its dependencies; may be empty for an empty type

  bool operator==(const Schema&) const = default;
};
using SchemaPtr = std::shared_ptr<const Schema>;

/// One stream in a bag. ROS 1 calls it a connection, rosbag2 a topic, MCAP a channel.
struct Channel {
  std::string topic;
  std::string encoding;  ///< of the payloads: "ros1", "cdr", "protobuf", "json"
  SchemaPtr schema;      ///< null: schemaless
  /// Under the keys of the MCAP registry: `callerid`, `latching`, `md5sum`,
  /// `offered_qos_profiles`; unknown fields of a ROS 1 connection header as they are.
  std::map<std::string, std::string> metadata;
  /// Position in the table of the Source that gave it; fixed for the life of that Source.
  std::uint32_t slot = 0;

  /// The schema's name, or "" without a schema.
  KITBAG_API const std::string& type() const;
};
using ChannelPtr = std::shared_ptr<const Channel>;

/// Channels by slot. Null: dropped on the way. Immutable; a Source that finds new channels hands
/// out a longer copy.
using Channels = std::vector<ChannelPtr>;
using ChannelsPtr = std::shared_ptr<const Channels>;

/// The same topic, encoding, schema and metadata; the slot does not count.
KITBAG_API bool same_content(const Channel& a, const Channel& b);

/// Late subscribers get the last message again: ROS 1 `latching` is "1" or "true", or every profile
/// of ROS 2's `offered_qos_profiles` is transient_local.
KITBAG_API bool is_latched(const Channel& channel);

/// A recorder has repeated on it, at the begin of a file, what an earlier file has: the last
/// message of a latched channel. Who reads both files as one leaves it out of the later.
KITBAG_API bool is_repeated(const Channel& channel);
/// The key of Channel::metadata that says so.
inline constexpr const char* kRepeatedKey = "kitbag_repeated";

/// Flags of a Message.
enum : std::uint32_t {
  kState = 1,  ///< stands for state from before the range asked for (a latched message)
};

/// A view of one message; the Batch that carries it owns what it points at.
struct Message {
  const Channel* channel;
  std::uint32_t sequence;
  std::uint32_t flags;
  Time log_time;      ///< when it was received
  Time publish_time;  ///< when it was sent; equals log_time where the format has only one
  ByteView data;
};
static_assert(sizeof(Message) == 48);

/// A file that a bag carries beside its messages.
struct Attachment {
  std::string name;
  std::string media_type;                ///< "text/plain"
  Time log_time{};                       ///< when it was recorded
  Time create_time{};                    ///< when it was made; zero: not known
  std::shared_ptr<const ReadFile> data;  ///< read on demand
};

/// Named values about a bag as a whole.
struct Metadata {
  std::string name;
  std::map<std::string, std::string> values;
};

/// A record of somebody's own kind, which goes from bag to bag of one format as it is.
struct PrivateRecord {
  std::string format;  ///< that it belongs to: "mcap"
  std::uint8_t opcode = 0;
  std::shared_ptr<const ReadFile> data;  ///< its content, read on demand
};

/// What a bag holds beside messages.
using Extra = std::variant<Attachment, Metadata, PrivateRecord>;

inline constexpr std::size_t kBatchMessages = 256;
inline constexpr std::size_t kBatchBytes = 1 << 20;

/// Messages on their way, with everything they point at. Moved, never copied.
class KITBAG_API Batch {
 public:
  Batch() = default;
  Batch(Batch&&) noexcept = default;
  Batch& operator=(Batch&&) noexcept = default;

  /// The channels of the messages, by slot; longer than the last batch's when new ones appeared.
  /// A batch without messages may declare channels.
  ChannelsPtr channels;
  /// Those of the bag, in the order of the file; a Source gives them all with its first batch,
  /// which may be without messages. They keep what they need alive.
  std::vector<Extra> extras;

  /// Keeps `owner` alive for as long as the messages are in this batch. `bytes_pinned`: the memory
  /// that it holds. Once for a chunk, arena or table; never once for a message.
  void keep(Owner owner, std::size_t bytes_pinned);
  /// Keeps everything that `other` keeps; owners already here are not kept twice.
  void keep(const Batch& other);

  /// Adds a message whose channel is in `channels` and whose data lives by a kept owner.
  void add(const Message& message) {
    messages_.push_back(message);
    payload_ += message.data.size();
  }

  /// Gives one of messages() other data, which lives by a kept owner.
  void set_data(Message& message, ByteView data) {
    payload_ += data.size() - message.data.size();
    message.data = data;
  }

  std::span<Message> messages() { return std::span(messages_).subspan(begin_); }
  std::span<const Message> messages() const { return std::span(messages_).subspan(begin_); }
  bool empty() const { return begin_ == messages_.size(); }
  /// A Source stops here: kBatchMessages or kBatchBytes.
  bool full() const {
    return messages_.size() - begin_ >= kBatchMessages || payload_ >= kBatchBytes;
  }

  /// Removes the messages for which `drop` is true.
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

  /// Moves the first `count` messages of `from`, and its extras, to the end of this batch; both
  /// keep the owners.
  void take_front(Batch& from, std::size_t count);

  /// Bytes of the messages' data.
  std::size_t payload() const { return payload_; }
  /// Bytes of memory that the owners hold.
  std::size_t pinned() const { return pinned_; }
  /// Copies the payloads together and lets the owners go. For those who hold batches back, when
  /// pinned() is far more than payload().
  void compact();
  /// Removes messages and extras and lets the owners go; the channels and the capacity stay.
  KITBAG_REINITIALIZES void clear();

 private:
  std::vector<Message> messages_;
  std::vector<std::pair<Owner, std::size_t>> owners_;
  std::size_t begin_ = 0;
  std::size_t payload_ = 0;
  std::size_t pinned_ = 0;
};

}  // namespace kitbag
