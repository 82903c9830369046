#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/message.h"
#include "storage/mcap/records.h"

namespace kitbag::mcap {

/// The schemas and channels of a file: ids to slots to channels. Their records stand in a file more
/// than once, in chunks and in the summary, and must say the same each time.
class Definitions {
 public:
  enum class Added { news, known, contradiction, malformed };

  /// Take the content of a record.
  Added add_schema(ByteView content);
  Added add_channel(ByteView content);

  /// False if the content of a schema or channel record says something else than what is known.
  bool agrees_with(bool is_schema, ByteView content) const;

  /// Slot of a channel id.
  std::optional<std::uint32_t> slot(std::uint16_t channel_id) const {
    if (channel_id >= slots_.size() || slots_[channel_id] == kNone) return std::nullopt;
    return slots_[channel_id];
  }
  std::uint16_t id(std::uint32_t slot) const { return ids_[slot]; }
  std::size_t channels_size() const { return ids_.size(); }
  std::size_t schemas_size() const { return schemas_.size(); }
  /// Every channel's schema is there.
  bool are_complete() const;
  /// By id.
  const std::map<std::uint16_t, std::string>& schemas() const { return schemas_; }
  const std::map<std::uint16_t, std::string>& channel_contents() const { return channels_; }

  /// Returns a new list of the channels by slot, in the order in which they came.
  ChannelsPtr channels() const;
  /// The one that came last; there must be one.
  ChannelPtr newest();

 private:
  using Schemas = std::map<std::uint16_t, SchemaPtr>;  ///< made, by id

  ChannelPtr make_channel(std::size_t slot, Schemas& made) const;

  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::map<std::uint16_t, std::string> schemas_;   ///< content of the record, by id
  std::map<std::uint16_t, std::string> channels_;  ///< the same
  std::vector<std::uint32_t> slots_;               ///< by channel id
  std::vector<std::uint16_t> ids_;                 ///< by slot
  Schemas made_;                                   ///< for newest()
};

}  // namespace kitbag::mcap
