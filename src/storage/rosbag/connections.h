#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/buffer.h"
#include "kitbag/message.h"
#include "storage/rosbag/records.h"

namespace kitbag::rosbag {

/// The fields of a connection header.
using FieldMap = std::map<std::string, std::string>;

/// The connection record of `channel` under the id `connection`, as bags hold it. The type "*" goes
/// by the name unknown/Unknown there, its own words stand in `original_type` and `original_md5sum`.
/// What is not ROS 1 about it goes into fields that other programs pass over.
void append_connection(Buffer& out, std::uint32_t connection, const Channel& channel);

/// The connections of a bag: ids to slots to channels. Records of one connection stand in a bag
/// more than once (in a chunk and in the index), and in the format's first drafts each holds a
/// part; what they say is brought together.
class Connections {
 public:
  enum class Added { news, known, contradiction, malformed };

  /// The number of a connection in its record: `conn`, in first drafts `id`.
  static std::optional<std::uint32_t> id_of(const Record& record);
  /// Takes a connection record (op 7).
  Added add(const Record& record);
  /// Takes a message definition record (op 1), for connections whose own record has none.
  void add_definition(const Record& record);

  /// False if the connection record says something else than what is known of its connection. It
  /// may say less, and more.
  bool agrees_with(const Record& record) const;
  /// True if everything that `other` knows is known here.
  bool say_all_of(const Connections& other) const;

  /// Slot of a connection id.
  std::optional<std::uint32_t> slot(std::uint32_t connection) const {
    if (connection >= dense_.size()) return sparse_slot(connection);
    if (dense_[connection] == kNone) return std::nullopt;
    return dense_[connection];
  }
  /// The connection that stands for `topic` in version 1.3, which has none: numbered as they
  /// appear.
  std::uint32_t id_of_topic(std::string_view topic);
  /// The same, of a topic that has appeared.
  std::optional<std::uint32_t> find_topic(std::string_view topic) const;
  std::uint32_t id(std::uint32_t slot) const { return entries_[slot].id; }
  std::size_t size() const { return entries_.size(); }
  /// True if every connection has its topic and type.
  bool are_complete() const;

  /// Returns a new list of the channels by slot.
  ChannelsPtr channels() const;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  /// Ids are small numbers in every bag seen; others cost a look-up.
  static constexpr std::uint32_t kDenseIds = 1 << 16;

  struct Entry {
    std::uint32_t id = 0;
    std::optional<std::string> topic;  ///< some have no name: ""
    FieldMap fields;
  };
  struct Definition {
    std::string type, md5sum, text;
  };

  Entry& entry(std::uint32_t connection, bool& is_new);
  std::optional<std::uint32_t> sparse_slot(std::uint32_t connection) const;

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> dense_;
  std::map<std::uint32_t, std::uint32_t> sparse_;
  std::map<std::string, std::uint32_t, std::less<>> ids_by_topic_;  ///< version 1.3
  std::map<std::string, Definition, std::less<>> definitions_;      ///< by topic
};

}  // namespace kitbag::rosbag
