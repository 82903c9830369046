#include "compress/lz4_block.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/cursor.h"

// A block is a row of sequences; the last one ends after its literals:
//
//     token | literal length, more | literals | distance u16 | match length, more | token | ...
//
// A token has two lengths of four bits: that of the literals and that of the match less 4. A length
// of 15 goes on in bytes that are added, up to and including the first one below 255. A match
// repeats what was put out `distance` bytes ago, and may reach into what it is writing: distance 1
// repeats a byte.
//
// In blocks that depend on each other, a match may reach back into the blocks before. Therefore the
// output of these must lie directly in front.
//
// LZ4 has no checks inside a block. So what comes out behind damage, but before a length or a
// distance is impossible, may be wrong. The checksums and the records around it must tell.

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
