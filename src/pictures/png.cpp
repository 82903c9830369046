#include "pictures/png.h"

#include <fmt/format.h>
#include <png.h>

#include <cstring>
#include <memory>
#include <utility>

#include "kitbag/error.h"
#include "pictures/guarded.h"

// Gray values of 16 bits are depths in most cases, and have to be scaled by the least and the
// greatest of the whole picture. So these values are read at once and given on as a raw image; all
// other pictures come row by row with 8 bits a channel. An interlaced picture is complete only with
// its last pass, so it is held as a whole too.
//
// Sizes are checked between read_header() and start(): libpng takes memory for rows only then.
// Parts of the file that are not the picture (texts, profiles) are limited in size and number,
// since a few compressed bytes of them can become gigabytes.

namespace kitbag {
namespace {

/// Of a part of the file that is not the picture.
constexpr png_alloc_size_t kMostChunkBytes = 8 << 20;
constexpr png_uint_32 kMostPngChunks = 128;

/// What the functions below, which libpng calls, know.
struct Png {
  Guard guard{};
  ByteView left = {};  ///< of the file
};

[[noreturn]] void take_error(png_structp png, png_const_charp text) {
  jump_back(static_cast<Png*>(png_get_error_ptr(png))->guard, ErrorCode::corrupt, text);
}

void take_warning(png_structp, png_const_charp) {}

void read_bytes(png_structp png, png_bytep to, std::size_t count) {
  Png& state = *static_cast<Png*>(png_get_io_ptr(png));
  if (state.left.size() < count) {
    jump_back(state.guard, ErrorCode::truncated, "the PNG ends before its picture is complete");
  }
  std::memcpy(to, state.left.data(), count);
  state.left = state.left.subspan(count);
}

class PngRows final : public PictureRows {
 public:
  explicit PngRows(const Wait& wait) : wait_(wait) {}
  ~PngRows() override { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngRows(const PngRows&) = delete;
  PngRows& operator=(const PngRows&) = delete;

  void read_header(ByteView bytes) {
    state_.left = bytes;
    guarded(state_.guard, [this] {
      png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &state_, take_error, take_warning);
      info_ = png_ ? png_create_info_struct(png_) : nullptr;
      if (!info_) jump_back(state_.guard, ErrorCode::limit, "there is no memory for a PNG");
      png_set_chunk_malloc_max(png_, kMostChunkBytes);
      png_set_chunk_cache_max(png_, kMostPngChunks);
      png_set_read_fn(png_, &state_, read_bytes);
      png_read_info(png_, info_);
    });
  }

  /// Before anything that depends on the size takes memory.
  void start() {
    guarded(state_.guard, [this] {
      bool is_color = (png_get_color_type(png_, info_) & PNG_COLOR_MASK_COLOR) != 0;
      has_16_bits_ = !is_color && png_get_bit_depth(png_, info_) == 16;
      // Colours of 16 bits lose nothing that can be seen; depths would.
      if (!has_16_bits_) png_set_scale_16(png_);
      png_set_palette_to_rgb(png_);
      png_set_expand_gray_1_2_4_to_8(png_);
      png_set_strip_alpha(png_);
      passes_ = png_set_interlace_handling(png_);
      png_read_update_info(png_, info_);
    });
  }

  bool has_16_bits() const { return has_16_bits_; }
  PictureSize size() const override {
    return {png_get_image_width(png_, info_), png_get_image_height(png_, info_)};
  }
  std::uint32_t channels() const override { return png_get_channels(png_, info_); }

  void next(std::span<std::byte> row) override {
    if (passes_ == 1) {
      auto* to = reinterpret_cast<png_bytep>(row.data());
      return guarded(state_.guard, [this, &to] { png_read_row(png_, to, nullptr); });
    }
    // Each row comes in parts, the last of which are at the end of the file.
    if (whole_.empty()) whole_ = read_whole();
    std::memcpy(row.data(), whole_.data() + row.size() * next_row_++, row.size());
  }

  std::vector<std::byte> read_whole() {
    const std::size_t row_bytes = png_get_rowbytes(png_, info_);
    std::vector<std::byte> whole(row_bytes * size().height);
    for (int pass = 0; pass < passes_; ++pass) {
      for (std::size_t at = 0; at < whole.size(); at += row_bytes) {
        throw_if_stopped(wait_);
        auto* to = reinterpret_cast<png_bytep>(whole.data() + at);
        guarded(state_.guard, [this, &to] { png_read_row(png_, to, nullptr); });
      }
    }
    return whole;
  }

 private:
  Wait wait_;
  Png state_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  int passes_ = 1;
  bool has_16_bits_ = false;
  std::vector<std::byte> whole_;  ///< of an interlaced picture
  std::size_t next_row_ = 0;
};

}  // namespace

bool is_png(ByteView bytes) {
  return as_text(bytes).starts_with("\x89PNG\r\n\x1a\n");
}

OpenedPng open_png(ByteView bytes, std::uint64_t most_pixels, const Wait& wait) {
  auto rows = std::make_unique<PngRows>(wait);
  rows->read_header(bytes);
  PictureSize size = rows->size();
  check_size(size.width, size.height, most_pixels);
  rows->start();
  if (rows->has_16_bits()) return {size, nullptr, rows->read_whole()};
  return {size, std::move(rows), {}};
}

std::vector<std::byte> encode_png(const Picture& picture) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = picture.width;
  image.height = picture.height;
  image.format = picture.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  auto fail = [&] {
    throw Error(ErrorCode::limit, fmt::format("the picture cannot be a PNG: {}", image.message));
  };
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::vector<std::byte> bytes(size);
  if (!png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.pixels.data(), 0,
                                 nullptr)) {
    fail();
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace kitbag
