#pragma once

#include <array>
#include <cstddef>

#include "tests/support/slow.h"

/// For tests that damage a bag at every byte: what they flip, and how many places they try.
namespace kitbag::test {

/// What a byte is flipped by: its lowest bit, its highest, all.
inline constexpr std::array kMasks = {std::byte{0x01}, std::byte{0x80}, std::byte{0xff}};

/// Whether `mask` flips the byte at this place. Where that is slow, each place is flipped once, by
/// the masks in turn.
inline bool flips_at(std::size_t at, std::byte mask) {
  return !kIsSlow || mask == kMasks[at % kMasks.size()];
}

/// From one hole to the next.
inline constexpr std::size_t kHoleStep = kIsSlow ? 5 : 1;

}  // namespace kitbag::test
