#include "compress/lz4_block.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/cursor.h"

namespace kitbag {
namespace {

constexpr std::size_t kMinMatch = 4;
constexpr std::size_t kMoreFollows = 15;  // of a length nibble: bytes of 255 and less follow

std::optional<std::size_t> full_length(Cursor& from, std::size_t nibble) {
  std::size_t length = nibble;
  if (nibble < kMoreFollows) return length;
  while (true) {
    auto more = from.number<std::uint8_t>();
    if (!more) return std::nullopt;
    length += *more;
    if (*more < 255) return length;
  }
}

}  // namespace

std::size_t salvage_lz4_block(ByteView block, std::span<std::byte> history_and_room,
                              std::size_t history) {
  std::byte* const bytes = history_and_room.data();
  const std::size_t room = history_and_room.size();
  std::size_t out = history;
  Cursor from(block);
  while (auto token = from.number<std::uint8_t>()) {
    auto literals = full_length(from, *token >> 4U);
    if (!literals) break;
    std::size_t count = std::min({*literals, from.left(), room - out});
    if (count > 0) std::memcpy(bytes + out, from.bytes(count)->data(), count);
    out += count;
    if (count < *literals) break;
    auto distance = from.number<std::uint16_t>();
    if (!distance || *distance == 0 || *distance > out) break;
    auto match = full_length(from, *token & 15U);
    if (!match) break;
    std::size_t length = std::min(*match + kMinMatch, room - out);
    // One by one: a match may overlap what it writes.
    for (std::size_t i = 0; i < length; ++i, ++out) bytes[out] = bytes[out - *distance];
    if (length < *match + kMinMatch) break;
  }
  return out - history;
}

}  // namespace kitbag
