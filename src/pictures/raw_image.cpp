#include "pictures/raw_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "pictures/bayer.h"
#include "pictures/yuv.h"

// What the pixels of sensor_msgs/Image mean. There are three families of names. Names of colours
// (rgb8, mono16) have values from black to full, whatever their size is. Names of OpenCV's types
// (16UC1, 32FC3) say nothing of what the values are, depths in most cases, so the least and the
// greatest value of the picture become black and white; only bytes (8UC1) are shown as they are.
// And there are sensors' own: Bayer patterns and YUV, in files of their own.

namespace kitbag {
namespace {

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

template <class Value>
Value load(const std::byte* from, bool is_big_endian) {
  std::array<std::byte, sizeof(Value)> bytes;
  std::memcpy(bytes.data(), from, sizeof(Value));
  if (is_big_endian != (std::endian::native == std::endian::big)) {
    std::reverse(bytes.begin(), bytes.end());
  }
  return std::bit_cast<Value>(bytes);
}

std::byte full_range(std::uint8_t value) {
  return std::byte{value};
}
std::byte full_range(std::uint16_t value) {
  return static_cast<std::byte>((value * 255U + 32767U) / 65535U);
}
template <class Value>
std::byte full_range(Value) {  // other types are scaled
  return {};
}

class InterleavedRows final : public PictureRows {
 public:
  InterleavedRows(const RawImage& image, Interleaved encoding, std::optional<InverseDepth> inverse)
      : image_(image),
        encoding_(encoding),
        inverse_(inverse),
        channels_(encoding.samples < 3 ? 1 : 3) {
    if (encoding_.is_scaled) find_range();
  }

  PictureSize size() const override {
    return {static_cast<std::uint32_t>(image_.width), static_cast<std::uint32_t>(image_.height)};
  }
  std::uint32_t channels() const override { return channels_; }

  void next(std::span<std::byte> row) override {
    with_type(encoding_.sample, [&](auto type) {
      std::byte* to = row.data();
      for_row(y_, type, [&](auto value) {
        *to++ = encoding_.is_scaled ? scaled(depth_of(value)) : full_range(value);
      });
    });
    ++y_;
    if (encoding_.is_bgr && channels_ == 3) {
      for (std::size_t i = 0; i < row.size(); i += 3) std::swap(row[i], row[i + 2]);
    }
  }

 private:
  /// Calls `call` with each value of row `y` that is shown. Of two values in a pixel, the first is.
  template <class Value, class Call>
  void for_row(std::uint64_t y, Value, const Call& call) const {
    const std::byte* from = image_.data.data() + y * image_.step;
    for (std::uint64_t x = 0; x < image_.width; ++x) {
      for (std::uint32_t c = 0; c < channels_; ++c) {
        call(load<Value>(from + c * sizeof(Value), image_.is_big_endian));
      }
      from += encoding_.samples * sizeof(Value);
    }
  }

  template <class Value>
  double depth_of(Value value) const {
    if (!inverse_) return static_cast<double>(value);
    if (value == Value{}) return std::nan("");
    return inverse_->first / (static_cast<double>(value) - inverse_->second);
  }

  void find_range() {
    least_ = std::numeric_limits<double>::infinity();
    greatest_ = -least_;
    with_type(encoding_.sample, [&](auto type) {
      for (std::uint64_t y = 0; y < image_.height; ++y) {
        for_row(y, type, [&](auto value) {
          double depth = depth_of(value);
          if (!std::isfinite(depth)) return;
          least_ = std::min(least_, depth);
          greatest_ = std::max(greatest_, depth);
        });
      }
    });
  }

  /// Black if all values are the same, or for NaN.
  std::byte scaled(double value) const {
    if (std::isnan(value) || value <= least_) return {};
    if (value >= greatest_) return std::byte{255};
    // Half of each, since the difference of two doubles may be none.
    double share = (value / 2 - least_ / 2) / (greatest_ / 2 - least_ / 2);
    return static_cast<std::byte>(std::lround(share * 255));
  }

  RawImage image_;
  Interleaved encoding_;
  std::optional<InverseDepth> inverse_;
  std::uint32_t channels_;
  std::uint64_t y_ = 0;
  double least_ = 0;
  double greatest_ = 0;
};

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

RawImage checked(const RawImage& image, const std::optional<Interleaved>& encoding,
                 std::uint64_t most_pixels) {
  check_size(image.width, image.height, most_pixels);
  if (image.step > UINT32_MAX) throw Error(ErrorCode::corrupt, "the step is too large");
  std::uint64_t rows = image.height + (is_yuv(image.encoding) ? yuv_more_rows(image) : 0);
  return checked(image, row_bytes(image, encoding), rows);
}

}  // namespace

std::unique_ptr<PictureRows> raw_rows(const RawImage& image, std::uint64_t most_pixels) {
  std::optional<Interleaved> encoding = color_encoding(image.encoding);
  if (!encoding) encoding = type_encoding(image.encoding);
  if (!encoding && !is_bayer(image.encoding) && !is_yuv(image.encoding)) {
    throw Error(ErrorCode::unsupported,
                fmt::format("the encoding \"{}\" of the picture is not known; docs/pictures.md "
                            "lists those that are",
                            escaped(image.encoding)));
  }
  RawImage sound = checked(image, encoding, most_pixels);
  if (encoding) return std::make_unique<InterleavedRows>(sound, *encoding, std::nullopt);
  if (is_bayer(image.encoding)) return bayer_rows(sound);
  return yuv_rows(sound);
}

std::unique_ptr<PictureRows> inverse_depth_rows(const RawImage& image, InverseDepth inverse,
                                                std::uint64_t most_pixels) {
  Interleaved encoding{Sample::u16, 1, false, true};
  return std::make_unique<InterleavedRows>(checked(image, encoding, most_pixels), encoding,
                                           inverse);
}

}  // namespace kitbag
