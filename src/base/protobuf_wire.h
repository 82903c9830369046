#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

// The wire format of Protocol Buffers, as far as messages and the descriptors of their types share
// it. What is read is passed by `at`; where it is damaged, that is anywhere up to `end`.
// Source: https://protobuf.dev/programming-guides/encoding/

namespace kitbag::protobuf {

/// Messages lie in one another no deeper, as in the libraries of protobuf itself.
inline constexpr std::size_t kMaxDepth = 100;

/// The low three bits of a field's tag.
enum WireType : std::uint32_t {
  kVarint = 0,
  kFixed64 = 1,
  kSized = 2,
  kBeginGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5,
};

/// Takes a number of seven bits a byte, the lowest first. False: the bytes end within it, or it has
/// more than ten. Bits beyond the 64th are lost, as in protobuf's own readers.
inline bool load_varint(const std::byte*& at, const std::byte* end, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (at == end) return false;
    auto byte = std::to_integer<std::uint64_t>(*at++);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

/// The size of `value` as such a number.
constexpr std::size_t varint_bytes(std::uint64_t value) {
  return (static_cast<std::size_t>(std::bit_width(value | 1)) + 6) / 7;
}

/// Stores `value` at `to`, which has room for it; returns the place behind it.
inline std::byte* store_varint(std::byte* to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<std::byte>(value | 0x80);
  *to++ = static_cast<std::byte>(value);
  return to;
}

/// Passes `size` bytes. False: there are fewer.
inline bool pass(const std::byte*& at, const std::byte* end, std::uint64_t size) {
  if (size > static_cast<std::uint64_t>(end - at)) return false;
  at += size;
  return true;
}

/// Passes the value behind `tag`; of a group, up to the mark of its end. `depth` is that of the
/// group, if it is one. False: it is damaged.
inline bool skip_value(const std::byte*& at, const std::byte* end, std::uint64_t tag,
                       std::size_t depth) {
  std::uint64_t value = 0;
  switch (tag & 7) {
    case kVarint:
      return load_varint(at, end, value);
    case kFixed64:
      return pass(at, end, 8);
    case kFixed32:
      return pass(at, end, 4);
    case kSized:
      return load_varint(at, end, value) && pass(at, end, value);
    case kBeginGroup:
      if (depth > kMaxDepth) return false;
      for (;;) {
        std::uint64_t inner = 0;
        if (!load_varint(at, end, inner)) return false;
        if ((inner & 7) == kEndGroup) return inner >> 3 == tag >> 3;
        if (!skip_value(at, end, inner, depth + 1)) return false;
      }
    default:
      return false;
  }
}

}  // namespace kitbag::protobuf
