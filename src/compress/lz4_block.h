#pragma once

#include <span>

#include "kitbag/bytes.h"

namespace kitbag {

/// What a cut or damaged LZ4 block still gives: decodes `block` into `history_and_room` behind the
/// `history` bytes that it starts with, up to the first sequence that is not whole or points
/// nowhere. Returns how many bytes came out. For damage only: LZ4's own decoder is far faster, but
/// does not tell how far it came.
std::size_t salvage_lz4_block(ByteView block, std::span<std::byte> history_and_room,
                              std::size_t history);

}  // namespace kitbag
