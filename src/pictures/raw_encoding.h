#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "pictures/raw_image.h"

namespace kitbag {

enum class Sample : std::uint8_t { u8, s8, u16, s16, s32, f32, f64 };

/// An encoding whose pixels are some samples each, one after the other.
struct Interleaved {
  Sample sample = Sample::u8;
  std::uint32_t samples = 1;  ///< of a pixel
  bool is_bgr = false;
  bool is_scaled = false;  ///< from the least to the greatest value of the picture
};

/// Calls `call` with a value of the sample's type.
template <class Call>
auto with_type(Sample sample, const Call& call) {
  switch (sample) {
    case Sample::s8:
      return call(std::int8_t{});
    case Sample::u16:
      return call(std::uint16_t{});
    case Sample::s16:
      return call(std::int16_t{});
    case Sample::s32:
      return call(std::int32_t{});
    case Sample::f32:
      return call(float{});
    case Sample::f64:
      return call(double{});
    default:
      return call(std::uint8_t{});
  }
}

template <class Value>
Value load_sample(const std::byte* from, bool is_big_endian) {
  std::array<std::byte, sizeof(Value)> bytes;
  std::memcpy(bytes.data(), from, sizeof(Value));
  if (is_big_endian != (std::endian::native == std::endian::big)) {
    std::reverse(bytes.begin(), bytes.end());
  }
  return std::bit_cast<Value>(bytes);
}

/// "bgr8" or "16UC1"; nothing for other families, and for names that are not known.
std::optional<Interleaved> interleaved_encoding(std::string_view name);

/// `image` with its step, once its size agrees with its data. `encoding` is that of its name.
/// Throws Error as raw_rows().
RawImage checked(const RawImage& image, const std::optional<Interleaved>& encoding,
                 std::uint64_t most_pixels);

}  // namespace kitbag
