#include "pictures/exact_png.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <new>
#include <optional>
#include <span>

#include "kitbag/error.h"
#include "pictures/guarded.h"
#include "pictures/raw_encoding.h"

// Rows go from the message through the encoder one by one, so a picture takes the memory of its
// PNG. A PNG has values of 16 bits in big-endian order.
//
// Depths as floats have no place in a PNG. The field's other form of depths is 16-bit millimetres
// (16UC1, REP 118), where 0 is "no depth"; so that is what they become. A depth beyond 65.535 m
// would be a wrong one in any value but 0.
//
// A sequence of pictures is written to be read again, mostly soon: it is compressed lightly, which
// is several times as fast as libpng's default for a few percent of size.

namespace kitbag {
namespace {

constexpr int kCompressionLevel = 2;

/// What a row of the PNG is made of.
struct RowsToWrite {
  PictureSize size;
  int channels = 1;  ///< 1: gray, 3: colours, 4: with transparency
  int bits = 8;
  std::function<void(std::span<std::byte> row)> next;
};

/// What the functions below, which libpng calls, know.
struct PngOut {
  Guard guard{};
  std::vector<std::byte>* bytes = nullptr;
};

[[noreturn]] void take_write_error(png_structp png, png_const_charp text) {
  jump_back(static_cast<PngOut*>(png_get_error_ptr(png))->guard, ErrorCode::limit, text);
}

void ignore_warning(png_structp, png_const_charp) {}

void take_bytes(png_structp png, png_bytep from, std::size_t count) {
  PngOut& out = *static_cast<PngOut*>(png_get_io_ptr(png));
  const auto* bytes = reinterpret_cast<const std::byte*>(from);
  bool is_taken = true;
  try {
    out.bytes->insert(out.bytes->end(), bytes, bytes + count);
  } catch (const std::bad_alloc&) {
    is_taken = false;
  }
  if (!is_taken) jump_back(out.guard, ErrorCode::limit, "there is no memory for a PNG");
}

class PngWriter {
 public:
  explicit PngWriter(std::vector<std::byte>& bytes) { out_.bytes = &bytes; }
  ~PngWriter() { png_destroy_write_struct(&png_, &info_); }
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;

  void begin(PictureSize size, int channels, int bits) {
    int color = channels == 1   ? PNG_COLOR_TYPE_GRAY
                : channels == 3 ? PNG_COLOR_TYPE_RGB
                                : PNG_COLOR_TYPE_RGB_ALPHA;
    guarded(out_.guard, [&] {
      png_ =
          png_create_write_struct(PNG_LIBPNG_VER_STRING, &out_, take_write_error, ignore_warning);
      info_ = png_ ? png_create_info_struct(png_) : nullptr;
      if (!info_) jump_back(out_.guard, ErrorCode::limit, "there is no memory for a PNG");
      png_set_write_fn(png_, &out_, take_bytes, nullptr);
      // By default libpng writes no side of more than a million pixels.
      png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
      png_set_IHDR(png_, info_, size.width, size.height, bits, color, PNG_INTERLACE_NONE,
                   PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
      png_set_compression_level(png_, kCompressionLevel);
      png_set_filter(png_, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
      png_write_info(png_, info_);
    });
  }
  void write(std::span<const std::byte> row) {
    const auto* from = reinterpret_cast<png_const_bytep>(row.data());
    guarded(out_.guard, [&] { png_write_row(png_, from); });
  }
  void end() {
    guarded(out_.guard, [&] { png_write_end(png_, nullptr); });
  }

 private:
  PngOut out_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

ExactPng encode(const RowsToWrite& rows, const Wait& wait) {
  ExactPng png{.size = rows.size, .bytes = {}};
  PngWriter writer(png.bytes);
  writer.begin(rows.size, rows.channels, rows.bits);
  std::vector<std::byte> row(std::size_t{rows.size.width} *
                             static_cast<std::size_t>(rows.channels * rows.bits / 8));
  for (std::uint32_t y = 0; y < rows.size.height; ++y) {
    throw_if_stopped(wait);
    rows.next(row);
    writer.write(row);
  }
  writer.end();
  return png;
}

PictureSize size_of(const RawImage& image) {
  return {static_cast<std::uint32_t>(image.width), static_cast<std::uint32_t>(image.height)};
}

/// Values of one or two bytes; the first and the third of a pixel change places if `is_bgr`.
template <class Value>
void copy_row(const std::byte* from, const RawImage& image, const Interleaved& encoding,
              std::span<std::byte> row) {
  std::byte* to = row.data();
  for (std::uint64_t x = 0; x < image.width; ++x) {
    for (std::uint32_t c = 0; c < encoding.samples; ++c) {
      std::uint32_t source = encoding.is_bgr && encoding.samples > 1 && c < 3 ? 2 - c : c;
      auto value = load_sample<Value>(from + source * sizeof(Value), image.is_big_endian);
      if constexpr (sizeof(Value) == 2) *to++ = static_cast<std::byte>(value >> 8);
      *to++ = static_cast<std::byte>(value & 0xFF);
    }
    from += encoding.samples * sizeof(Value);
  }
}

ExactPng interleaved_png(const RawImage& image, const Interleaved& encoding, const Wait& wait) {
  RowsToWrite rows{.size = size_of(image),
                   .channels = static_cast<int>(encoding.samples),
                   .bits = encoding.sample == Sample::u8 ? 8 : 16,
                   .next = {}};
  rows.next = [&, from = image.data.data()](std::span<std::byte> row) mutable {
    if (encoding.sample == Sample::u8) {
      copy_row<std::uint8_t>(from, image, encoding, row);
    } else {
      copy_row<std::uint16_t>(from, image, encoding, row);
    }
    from += image.step;
  };
  return encode(rows, wait);
}

/// Rows of depths: `metres` gives that at an address.
ExactPng depth_png(const RawImage& image, std::size_t sample_bytes,
                   const std::function<double(const std::byte*)>& metres, const Wait& wait) {
  constexpr double kMost = 65535;
  std::uint64_t far_pixels = 0;
  RowsToWrite rows{.size = size_of(image), .channels = 1, .bits = 16, .next = {}};
  rows.next = [&, from = image.data.data()](std::span<std::byte> row) mutable {
    std::byte* to = row.data();
    for (std::uint64_t x = 0; x < image.width; ++x) {
      double value = std::round(metres(from + x * sample_bytes) * 1000);
      bool is_far = value > kMost;
      if (is_far && std::isfinite(value)) ++far_pixels;
      unsigned millimetres = value > 0 && !is_far ? static_cast<unsigned>(value) : 0;
      *to++ = static_cast<std::byte>(millimetres >> 8);
      *to++ = static_cast<std::byte>(millimetres & 0xFF);
    }
    from += image.step;
  };
  ExactPng png = encode(rows, wait);
  png.far_pixels = far_pixels;
  return png;
}

/// Rows of bytes: gray or colours.
ExactPng picture_png(PictureRows& rows, const Wait& wait) {
  RowsToWrite from{.size = rows.size(),
                   .channels = static_cast<int>(rows.channels()),
                   .bits = 8,
                   .next = [&](std::span<std::byte> row) { rows.next(row); }};
  return encode(from, wait);
}

}  // namespace

ExactPng exact_png(const Picture& picture, const Wait& wait) {
  RowsToWrite rows{.size = {picture.width, picture.height},
                   .channels = static_cast<int>(picture.channels),
                   .bits = 8,
                   .next = {}};
  rows.next = [left = std::span(picture.pixels)](std::span<std::byte> row) mutable {
    std::copy_n(left.begin(), row.size(), row.begin());
    left = left.subspan(row.size());
  };
  return encode(rows, wait);
}

ExactPng exact_png(const RawImage& image, std::uint64_t most_pixels, const Wait& wait) {
  std::optional<Interleaved> encoding = interleaved_encoding(image.encoding);
  if (!encoding) return picture_png(*raw_rows(image, most_pixels), wait);
  bool is_integer = encoding->sample == Sample::u8 || encoding->sample == Sample::u16;
  bool is_depth = encoding->sample == Sample::f32 && encoding->samples == 1;
  if ((!is_integer || encoding->samples == 2) && !is_depth) {
    throw Error(ErrorCode::unsupported,
                fmt::format("a PNG cannot have the values of a picture in {}", image.encoding));
  }
  RawImage sound = checked(image, encoding, most_pixels);
  if (is_integer) return interleaved_png(sound, *encoding, wait);
  auto metres = [&](const std::byte* at) {
    return static_cast<double>(load_sample<float>(at, sound.is_big_endian));
  };
  return depth_png(sound, sizeof(float), metres, wait);
}

ExactPng inverse_depth_png(const RawImage& image, InverseDepth inverse, std::uint64_t most_pixels,
                           const Wait& wait) {
  RawImage sound = checked(image, Interleaved{Sample::u16, 1}, most_pixels);
  auto metres = [&](const std::byte* at) {
    auto value = load_sample<std::uint16_t>(at, sound.is_big_endian);
    if (value == 0) return 0.0;
    return static_cast<double>(inverse.first) / (value - static_cast<double>(inverse.second));
  };
  return depth_png(sound, sizeof(std::uint16_t), metres, wait);
}

}  // namespace kitbag
