#include "pictures/raw_encoding.h"

#include <fmt/format.h>

#include <utility>

#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "pictures/bayer.h"
#include "pictures/rows.h"
#include "pictures/yuv.h"

// What is said in raw_image.cpp of names and sizes, before any value is looked at.

namespace kitbag {
namespace {

std::size_t bytes_of(Sample sample) {
  return with_type(sample, [](auto value) { return sizeof value; });
}

std::optional<Interleaved> color_encoding(std::string_view name) {
  bool has_16_bits = name.ends_with("16");
  if (!has_16_bits && !name.ends_with("8")) return std::nullopt;
  Sample sample = has_16_bits ? Sample::u16 : Sample::u8;
  std::string_view colors = name.substr(0, name.size() - (has_16_bits ? 2 : 1));
  if (colors == "mono") return Interleaved{sample, 1};
  if (colors == "rgb") return Interleaved{sample, 3};
  if (colors == "rgba") return Interleaved{sample, 4};
  if (colors == "bgr") return Interleaved{sample, 3, true};
  if (colors == "bgra") return Interleaved{sample, 4, true};
  return std::nullopt;
}

/// "16UC1". OpenCV, whose names these are, has blue first.
std::optional<Interleaved> type_encoding(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Sample>, 7> kTypes = {{{"8UC", Sample::u8},
                                                                          {"8SC", Sample::s8},
                                                                          {"16UC", Sample::u16},
                                                                          {"16SC", Sample::s16},
                                                                          {"32SC", Sample::s32},
                                                                          {"32FC", Sample::f32},
                                                                          {"64FC", Sample::f64}}};
  for (const auto& [type, sample] : kTypes) {
    if (!name.starts_with(type) || name.size() != type.size() + 1) continue;
    char samples = name.back();
    if (samples < '1' || samples > '4') return std::nullopt;
    return Interleaved{sample, static_cast<std::uint32_t>(samples - '0'), true,
                       sample != Sample::u8};
  }
  return std::nullopt;
}

/// Bytes of a row without padding.
std::uint64_t row_bytes(const RawImage& image, const std::optional<Interleaved>& encoding) {
  if (encoding) return image.width * encoding->samples * bytes_of(encoding->sample);
  if (is_bayer(image.encoding)) return image.width * bayer_sample_bytes(image.encoding);
  return yuv_row_bytes(image.encoding, image.width);
}

/// `image` with its step, once its size agrees with its data.
RawImage checked(RawImage image, std::uint64_t row, std::uint64_t rows) {
  if (image.step == 0) image.step = row;
  if (image.step < row) {
    throw Error(ErrorCode::corrupt,
                fmt::format("a step of {} bytes is too short for rows of {} pixels in {}, which "
                            "have {}",
                            image.step, image.width, image.encoding, row));
  }
  // Not more than 2^26 rows of 2^32 bytes. The last row need not be padded.
  std::uint64_t needed = (rows - 1) * image.step + row;
  if (image.data.size() < needed) {
    throw Error(ErrorCode::truncated,
                fmt::format("{} x {} pixels in {} need {} bytes, and there are {}", image.width,
                            image.height, image.encoding, needed, image.data.size()));
  }
  return image;
}

}  // namespace

std::optional<Interleaved> interleaved_encoding(std::string_view name) {
  std::optional<Interleaved> encoding = color_encoding(name);
  return encoding ? encoding : type_encoding(name);
}

RawImage checked(const RawImage& image, const std::optional<Interleaved>& encoding,
                 std::uint64_t most_pixels) {
  if (!encoding && !is_bayer(image.encoding) && !is_yuv(image.encoding)) {
    throw Error(ErrorCode::unsupported,
                fmt::format("the encoding \"{}\" of the picture is not known; docs/pictures.md "
                            "lists those that are",
                            escaped(image.encoding)));
  }
  check_size(image.width, image.height, most_pixels);
  if (image.step > UINT32_MAX) throw Error(ErrorCode::corrupt, "the step is too large");
  std::uint64_t rows = image.height + (is_yuv(image.encoding) ? yuv_more_rows(image) : 0);
  return checked(image, row_bytes(image, encoding), rows);
}

}  // namespace kitbag
