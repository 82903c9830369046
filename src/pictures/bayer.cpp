#include "pictures/bayer.h"

#include <algorithm>
#include <array>

// A pixel has one of three colours, here rggb:
//
//     r g r g
//     g b g b
//
// The two that it lacks are averages of those of its eight neighbours that have them; at the border
// there are fewer. Pictures are shown small, so the fringes that this leaves at edges do not
// matter.

namespace kitbag {
namespace {

constexpr std::string_view kPrefix = "bayer_";
constexpr std::size_t kPatternLength = 4;

/// "rggb"; empty: it is none.
std::string_view pattern_of(std::string_view encoding) {
  if (!encoding.starts_with(kPrefix)) return {};
  std::string_view pattern = encoding.substr(kPrefix.size(), kPatternLength);
  std::string_view bits = encoding.substr(kPrefix.size() + pattern.size());
  bool is_known = pattern == "rggb" || pattern == "bggr" || pattern == "gbrg" || pattern == "grbg";
  return is_known && (bits == "8" || bits == "16") ? pattern : std::string_view();
}

class BayerRows final : public PictureRows {
 public:
  explicit BayerRows(const RawImage& image)
      : image_(image), sample_bytes_(bayer_sample_bytes(image.encoding)) {
    std::string_view pattern = pattern_of(image.encoding);
    for (std::size_t i = 0; i < kPatternLength; ++i) {
      colors_[i] = pattern[i] == 'r' ? 0 : pattern[i] == 'g' ? 1 : 2;
    }
  }

  PictureSize size() const override {
    return {static_cast<std::uint32_t>(image_.width), static_cast<std::uint32_t>(image_.height)};
  }
  std::uint32_t channels() const override { return 3; }

  void next(std::span<std::byte> row) override {
    for (std::uint64_t x = 0; x < image_.width; ++x) set_pixel(x, row.subspan(3 * x, 3));
    ++y_;
  }

 private:
  std::size_t color_at(std::uint64_t x, std::uint64_t y) const {
    return colors_[2 * (y & 1) + (x & 1)];
  }

  /// The value of 8 bits; of 16 bits, the upper ones.
  std::uint32_t value_at(std::uint64_t x, std::uint64_t y) const {
    const std::byte* from = image_.data.data() + y * image_.step + x * sample_bytes_;
    bool is_second = sample_bytes_ == 2 && !image_.is_big_endian;
    return std::to_integer<std::uint32_t>(from[is_second ? 1 : 0]);
  }

  void set_pixel(std::uint64_t x, std::span<std::byte> pixel) const {
    std::array<std::uint32_t, 3> sums{};
    std::array<std::uint32_t, 3> counts{};
    const std::uint64_t right = std::min(x + 1, image_.width - 1);
    const std::uint64_t bottom = std::min(y_ + 1, image_.height - 1);
    for (std::uint64_t y = y_ > 0 ? y_ - 1 : 0; y <= bottom; ++y) {
      for (std::uint64_t at = x > 0 ? x - 1 : 0; at <= right; ++at) {
        std::size_t color = color_at(at, y);
        sums[color] += value_at(at, y);
        ++counts[color];
      }
    }
    std::uint32_t own = value_at(x, y_);
    for (std::size_t color = 0; color < 3; ++color) {
      bool is_own = color == color_at(x, y_) || counts[color] == 0;
      std::uint32_t count = std::max(counts[color], 1U);
      pixel[color] = static_cast<std::byte>(is_own ? own : (sums[color] + count / 2) / count);
    }
  }

  RawImage image_;
  std::uint64_t sample_bytes_;
  std::array<std::size_t, kPatternLength> colors_{};
  std::uint64_t y_ = 0;
};

}  // namespace

bool is_bayer(std::string_view encoding) {
  return !pattern_of(encoding).empty();
}

std::uint64_t bayer_sample_bytes(std::string_view encoding) {
  return encoding.ends_with("16") ? 2 : 1;
}

std::unique_ptr<PictureRows> bayer_rows(const RawImage& image) {
  return std::make_unique<BayerRows>(image);
}

}  // namespace kitbag
