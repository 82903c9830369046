#pragma once

#include <string_view>

#include "storage/mcap/records.h"

namespace kitbag::mcap {

/// How far the records of a chunk could be read.
struct ContentWalk {
  std::size_t end = 0;          ///< whole records up to here
  std::string_view fault = {};  ///< empty: to the end of the chunk
};

/// True for what may stand in a chunk; what is not known is passed over.
constexpr bool may_be_in_chunk(std::uint8_t op) {
  return (op >= 0x03 && op <= 0x05) || op > 0x0F;
}

/// Calls `on_message(head, record_offset, data)` and, for every other record,
/// `on_record(record, record_offset)`, for the records of a chunk as they stand. Stops at the first
/// that is damaged or cut off.
template <class OnMessage, class OnRecord>
ContentWalk walk_content(ByteView content, OnMessage&& on_message, OnRecord&& on_record) {
  const std::byte* begin = content.data();
  std::size_t size = content.size();
  std::size_t at = 0;
  while (at < size) {
    std::size_t left = size - at;
    if (left < kRecordHead) return {at, "a record is cut off"};
    const std::byte* record = begin + at;
    auto op = std::to_integer<std::uint8_t>(record[0]);
    auto length = load_le<std::uint64_t>(record + 1);
    if (length > left - kRecordHead) return {at, "a record is damaged or cut off"};
    auto bytes = kRecordHead + static_cast<std::size_t>(length);
    if (op == static_cast<std::uint8_t>(Op::message)) {
      if (length < MessageHead::kBytes) return {at, "a message is damaged"};
      constexpr std::size_t kFrame = kRecordHead + MessageHead::kBytes;
      on_message(MessageHead::load(record + kRecordHead), at,
                 ByteView(record + kFrame, bytes - kFrame));
    } else if (may_be_in_chunk(op)) {
      on_record(Record{op, ByteView(record + kRecordHead, bytes - kRecordHead), bytes}, at);
    } else {
      return {at, "a record of a kind that chunks cannot contain"};
    }
    at += bytes;
  }
  return {at, {}};
}

}  // namespace kitbag::mcap
