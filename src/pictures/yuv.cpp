#include "pictures/yuv.h"

#include <algorithm>
#include <array>

// The bytes of two pixels, or of the planes:
//
//     yuv422, uyvy         U Y V Y
//     yuv422_yuy2, yuyv    Y U Y V
//     nv12, nv21           rows of Y, then rows of U V (nv21: V U), a pair for 2 x 2 pixels
//     nv24                 rows of Y, then rows of U V, a pair for each pixel
//
// Y is from 16 to 235, U and V are from 16 to 240 around 128 (ITU-R BT.601). The factors are those
// of its equations times 256 and rounded: 298 is 256 * 255 / 219. A message does not say whether a
// camera used the full range or BT.709, so OpenCV's assumption is taken.

namespace kitbag {
namespace {

struct YuvEncoding {
  std::string_view name;
  bool has_planes = false;
  /// Of the bytes of a pair of pixels: where the first brightness is, and U and V. With planes: of
  /// a pair of colour values.
  std::size_t y = 0;
  std::size_t u = 0;
  std::size_t v = 0;
  std::uint32_t pixels_of_pair = 2;  ///< in each direction, with planes
};

constexpr std::array<YuvEncoding, 7> kEncodings = {{{"yuv422", false, 1, 0, 2},
                                                    {"uyvy", false, 1, 0, 2},
                                                    {"yuv422_yuy2", false, 0, 1, 3},
                                                    {"yuyv", false, 0, 1, 3},
                                                    {"nv12", true, 0, 0, 1, 2},
                                                    {"nv21", true, 0, 1, 0, 2},
                                                    {"nv24", true, 0, 0, 1, 1}}};

const YuvEncoding* find_encoding(std::string_view name) {
  const auto* found =
      std::find_if(kEncodings.begin(), kEncodings.end(),
                   [&](const YuvEncoding& encoding) { return encoding.name == name; });
  return found == kEncodings.end() ? nullptr : found;
}

std::byte limited(int value) {
  return static_cast<std::byte>(std::clamp((value + 128) >> 8, 0, 255));
}

/// In units of 1/256.
void set_pixel(std::byte y_byte, std::byte u_byte, std::byte v_byte, std::byte* pixel) {
  int y = 298 * (std::to_integer<int>(y_byte) - 16);
  int u = std::to_integer<int>(u_byte) - 128;
  int v = std::to_integer<int>(v_byte) - 128;
  pixel[0] = limited(y + 409 * v);
  pixel[1] = limited(y - 100 * u - 208 * v);
  pixel[2] = limited(y + 516 * u);
}

class YuvRows final : public PictureRows {
 public:
  explicit YuvRows(const RawImage& image)
      : image_(image), encoding_(*find_encoding(image.encoding)) {}

  PictureSize size() const override {
    return {static_cast<std::uint32_t>(image_.width), static_cast<std::uint32_t>(image_.height)};
  }
  std::uint32_t channels() const override { return 3; }

  void next(std::span<std::byte> row) override {
    const std::byte* first = image_.data.data() + y_ * image_.step;
    if (encoding_.has_planes) {
      const std::byte* pairs = image_.data.data() + image_.height * image_.step +
                               y_ / encoding_.pixels_of_pair * pairs_step();
      for (std::uint64_t x = 0; x < image_.width; ++x) {
        const std::byte* pair = pairs + x / encoding_.pixels_of_pair * 2;
        set_pixel(first[x], pair[encoding_.u], pair[encoding_.v], row.data() + 3 * x);
      }
    } else {
      for (std::uint64_t x = 0; x < image_.width; ++x) {
        const std::byte* two = first + x / 2 * 4;
        std::byte y = two[encoding_.y + x % 2 * 2];
        set_pixel(y, two[encoding_.u], two[encoding_.v], row.data() + 3 * x);
      }
    }
    ++y_;
  }

 private:
  std::uint64_t pairs_step() const {
    return encoding_.pixels_of_pair == 1 ? 2 * image_.step : image_.step;
  }

  RawImage image_;
  const YuvEncoding& encoding_;
  std::uint64_t y_ = 0;
};

}  // namespace

bool is_yuv(std::string_view encoding) {
  return find_encoding(encoding) != nullptr;
}

std::uint64_t yuv_row_bytes(std::string_view encoding, std::uint64_t width) {
  const YuvEncoding& known = *find_encoding(encoding);
  if (!known.has_planes) return (width + 1) / 2 * 4;
  // As many as a row of pairs, which go two pixels on.
  return known.pixels_of_pair == 2 ? (width + 1) / 2 * 2 : width;
}

std::uint64_t yuv_more_rows(const RawImage& image) {
  const YuvEncoding& known = *find_encoding(image.encoding);
  if (!known.has_planes) return 0;
  return known.pixels_of_pair == 1 ? 2 * image.height : (image.height + 1) / 2;
}

std::unique_ptr<PictureRows> yuv_rows(const RawImage& image) {
  return std::make_unique<YuvRows>(image);
}

}  // namespace kitbag
