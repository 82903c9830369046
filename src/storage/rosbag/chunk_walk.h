#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "storage/rosbag/records.h"

namespace kitbag::rosbag {

/// The header of a message record as a template: which of its bytes are fixed, and where connection
/// and time stand. Writers put the three fields in whatever order their maps have, but each stays
/// with one, so the last header that was parsed field by field serves for all that follow.
class MessageLayout {
 public:
  /// op (8 bytes), conn (13) and time (17), lengths included, and nothing else.
  static constexpr std::size_t kHeaderBytes = 38;
  using Header = std::array<std::byte, kHeaderBytes>;

  /// The order of the original C++ writer, and ours: conn, op, time.
  MessageLayout() { learn(0, 13, 21); }

  /// Whether `header` differs from the template in connection and time only.
  bool matches(const std::byte* header) const {
    std::uint64_t difference = 0;
    for (std::size_t i = 0; i < kWords; ++i) {
      std::size_t at = i < kWords - 1 ? i * 8 : kHeaderBytes - 8;
      difference |= (load_le<std::uint64_t>(header + at) ^ fixed_[i]) & mask_[i];
    }
    return difference == 0;
  }
  std::uint32_t connection(const std::byte* header) const {
    return load_le<std::uint32_t>(header + connection_at_);
  }
  std::uint64_t time(const std::byte* header) const {
    return load_le<std::uint64_t>(header + time_at_);
  }
  /// Takes over the order of a header of kHeaderBytes whose fields are `fields`.
  void learn(const std::byte* header, const Fields& fields);

  /// A header in this layout.
  Header header(std::uint32_t connection, std::uint64_t time) const;

 private:
  static constexpr std::size_t kWords = 5;  ///< the last overlaps the one before

  /// The three fields begin at these places.
  void learn(std::size_t conn, std::size_t op, std::size_t time);

  std::uint64_t fixed_[kWords];
  std::uint64_t mask_[kWords];
  std::size_t connection_at_;
  std::size_t time_at_;
};

/// How far a chunk could be read.
struct ChunkWalk {
  std::size_t end = 0;     ///< whole records up to here
  std::string_view fault;  ///< empty: to the end of the chunk
};

/// The connection that stands for a topic: version 1.3 had topics only.
struct NoTopics {
  std::optional<std::uint32_t> operator()(std::string_view) const { return std::nullopt; }
};

/// The connection of a message by its header, or by `id_of(topic)` where that has none.
template <class IdOfTopic>
std::optional<std::uint32_t> connection_of(const Fields& message, IdOfTopic&& id_of) {
  auto connection = message.number<std::uint32_t>("conn");
  if (connection) return connection;
  auto topic = message.find("topic");
  return topic ? id_of(as_text(*topic)) : std::nullopt;
}

/// Calls `on_message(connection, stored_time, record_offset, data)` and, for every other record,
/// `on_record(record, record_offset)`, for the records of a chunk as they stand. Stops at the first
/// that is damaged or cut off.
template <class OnMessage, class OnRecord, class IdOfTopic = NoTopics>
ChunkWalk walk_chunk(ByteView chunk, OnMessage&& on_message, OnRecord&& on_record,
                     IdOfTopic&& id_of = {}) {
  constexpr std::size_t kLength = sizeof(std::uint32_t);
  constexpr std::size_t kHeader = MessageLayout::kHeaderBytes;
  MessageLayout layout;
  std::size_t at = 0;
  while (at < chunk.size()) {
    const std::byte* record = chunk.data() + at;
    std::size_t left = chunk.size() - at;
    if (left >= kLength + kHeader + kLength && load_le<std::uint32_t>(record) == kHeader &&
        layout.matches(record + kLength)) {
      const std::byte* header = record + kLength;
      std::size_t size = load_le<std::uint32_t>(header + kHeader);
      if (size > left - kLength - kHeader - kLength) return {at, "a message is cut off"};
      on_message(layout.connection(header), layout.time(header), at,
                 ByteView(header + kHeader + kLength, size));
      at += kLength + kHeader + kLength + size;
      continue;
    }
    auto parsed = parse_record(chunk.subspan(at));
    if (!parsed) return {at, "a record is damaged or cut off"};
    if (parsed->header.kind() == Op::message) {
      auto connection = connection_of(parsed->header, id_of);
      auto time = parsed->header.template number<std::uint64_t>("time");
      if (!connection || !time) return {at, "a message has no connection or time"};
      layout.learn(record + kLength, parsed->header);
      on_message(*connection, *time, at, parsed->data);
    } else {
      on_record(*parsed, at);
    }
    at += parsed->bytes;
  }
  return {at, {}};
}

/// A sum over (connection, time, offset) that does not depend on the order: equal for a chunk and
/// its index unless they disagree, and different for any single change.
class IndexSum {
 public:
  void add(std::uint32_t connection, std::uint64_t time, std::uint32_t offset) {
    sum_ += (time ^ (std::uint64_t{connection} << 40)) * 0x9E3779B97F4A7C15U +
            (offset + 1) * 0xC2B2AE3D27D4EB4FU;
    ++messages_;
  }
  std::uint64_t messages() const { return messages_; }
  bool operator==(const IndexSum&) const = default;

 private:
  std::uint64_t sum_ = 0;
  std::uint64_t messages_ = 0;
};

/// One index record (op 4) behind a chunk.
struct IndexRecord {
  std::uint32_t connection = 0;
  ByteView entries;

  std::size_t count() const { return entries.size() / kIndexEntryBytes; }
  std::uint64_t time(std::size_t i) const {
    return load_le<std::uint64_t>(entries.data() + i * kIndexEntryBytes);
  }
  std::uint32_t offset(std::size_t i) const {
    return load_le<std::uint32_t>(entries.data() + i * kIndexEntryBytes + 8);
  }
};

/// A chunk info record (op 6): the entry of one chunk in the index section.
struct ChunkInfo {
  std::uint64_t offset = 0;
  Time start{};
  Time end{};
  ByteView counts;

  std::size_t count() const { return counts.size() / kCountEntryBytes; }
  std::uint32_t connection(std::size_t i) const {
    return load_le<std::uint32_t>(counts.data() + i * kCountEntryBytes);
  }
  std::uint32_t messages(std::size_t i) const {
    return load_le<std::uint32_t>(counts.data() + i * kCountEntryBytes + 4);
  }
};

/// Nothing if a field is missing or its count and length disagree.
std::optional<ChunkInfo> parse_chunk_info(const Record& record);

/// Nothing if `record` is not an index record, or its count and length disagree.
std::optional<IndexRecord> parse_index_record(const Record& record);

}  // namespace kitbag::rosbag
