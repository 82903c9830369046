#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "kitbag/bytes.h"

namespace kitbag::cdr {

/// Bytes of one character of a wide string of XCDR1 whose `count` characters stand at the beginning
/// of `rest`: 4 as ROS 2's middlewares have always written them, or 2 as the specification has it.
/// Nothing says which; four bytes that are no character give the other away.
std::size_t wide_unit(ByteView rest, std::size_t count, bool is_big_endian);

/// `bytes`, characters of `unit` bytes each, as UTF-8; a half of a surrogate pair becomes U+FFFD.
std::string utf8_of(ByteView bytes, std::size_t unit, bool is_big_endian);

/// `text`, UTF-8, as UTF-16. Each byte that is not UTF-8 becomes U+FFFD and is counted in
/// `replaced`.
std::u16string utf16_of(std::string_view text, std::uint64_t& replaced);

}  // namespace kitbag::cdr
