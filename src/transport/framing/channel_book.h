#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "kitbag/message.h"
#include "transport/framing/framing.h"

namespace kitbag::framing {

/// What a value of metadata takes beside its texts, roughly.
inline constexpr std::size_t kMetadataBytes = 128;

/// How much a ChannelBook takes in. Beyond it nothing new is remembered.
struct BookLimits {
  std::size_t channels = 30'000;    ///< and as many descriptions; an MCAP file holds twice as many
  std::size_t bytes = 64ULL << 20;  ///< of topics, ids, definitions and metadata, in all
};

/// The channels that senders have described, by what they say and by the ids that senders gave
/// them. Bounded, because anybody may send.
class ChannelBook {
 public:
  explicit ChannelBook(const BookLimits& limits) : limits_(limits) {}

  /// A channel as somebody described it.
  struct Entry {
    Channel content;
    const Channel* pushed = nullptr;  ///< the feed's; null: it is not wanted
    bool is_new = true;               ///< the caller has not said yet what is pushed
  };

  /// The channel of such a header. Null: it is not known, and there is no room for it.
  Entry* find_or_add(std::string_view topic, const Header& header);

  /// From now on, messages on `topic` that name `id` are of this channel. False: there is no room.
  bool describe(std::string_view topic, std::string_view id, Entry& entry);
  /// Null: it has not been described.
  Entry* described(std::string_view topic, std::string_view id);

  std::size_t channels() const { return channels_.size(); }
  /// As BookLimits::bytes counts them.
  std::size_t bytes() const { return bytes_; }

 private:
  SchemaPtr intern(const Schema& schema);
  const std::string& key(std::string_view topic, std::string_view id);
  bool has_room(std::size_t bytes) const { return bytes <= limits_.bytes - bytes_; }

  BookLimits limits_;
  std::unordered_multimap<std::size_t, std::unique_ptr<Entry>> channels_;  ///< by hash of content
  std::unordered_multimap<std::size_t, SchemaPtr> schemas_;                ///< likewise
  std::unordered_map<std::string, Entry*> described_;                      ///< by key()
  std::size_t bytes_ = 0;
  std::string key_;  ///< the last key()
};

}  // namespace kitbag::framing
