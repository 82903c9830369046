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
#include "pictures/raw_encoding.h"
#include "pictures/yuv.h"

// What the pixels of sensor_msgs/Image mean. There are three families of names. Names of colours
// (rgb8, mono16) have values from black to full, whatever their size is. Names of OpenCV's types
// (16UC1, 32FC3) say nothing of what the values are, depths in most cases, so the least and the
// greatest value of the picture become black and white; only bytes (8UC1) are shown as they are.
// And there are sensors' own: Bayer patterns and YUV, in files of their own.

namespace kitbag {
namespace {

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
        call(load_sample<Value>(from + c * sizeof(Value), image_.is_big_endian));
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

}  // namespace

std::unique_ptr<PictureRows> raw_rows(const RawImage& image, std::uint64_t most_pixels) {
  std::optional<Interleaved> encoding = interleaved_encoding(image.encoding);
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
