#pragma once

#include <span>

#include "kitbag/bytes.h"

namespace kitbag {

/// Salvages a cut or damaged LZ4 block: decodes `block` into `history_and_room` after the `history`
/// bytes that it starts with, up to the first sequence that is incomplete or points nowhere.
/// Returns how many bytes came out. For damage only: LZ4's own decoder is far faster, but does not
/// report how far it came.
std::size_t salvage_lz4_block(ByteView block, std::span<std::byte> history_and_room,
                              std::size_t history);

}  // namespace kitbag
