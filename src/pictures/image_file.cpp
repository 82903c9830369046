#include "pictures/image_file.h"

#include <fmt/format.h>

#include <utility>

#include "kitbag/error.h"
#include "kitbag/picture.h"
#include "pictures/compressed_depth.h"
#include "pictures/exact_png.h"
#include "pictures/jpeg.h"
#include "pictures/png.h"
#include "pictures/raw_image.h"

// JPEG and PNG are passed on as they are. To decode each would take a hundred times as long, so
// only their frame is looked at: the size must be there, and the end. A JPEG without its end mark
// may be cut off, or come from a camera that does not write one; that takes decoding it, at an
// eighth of its size.

namespace kitbag {
namespace {

std::uint32_t big_endian(ByteView bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value = value << 8 | std::to_integer<std::uint32_t>(bytes[at + i]);
  }
  return value;
}

[[noreturn]] void refuse_cut(std::string_view what) {
  throw Error(ErrorCode::truncated,
              fmt::format("the {} ends before its picture is complete", what));
}

/// Of the frame's header, which has one of the marks C0 to CF; C4, C8 and CC are others.
PictureSize jpeg_size(ByteView bytes) {
  std::size_t at = 2;
  while (at + 4 <= bytes.size()) {
    if (bytes[at] != std::byte{0xFF}) break;
    auto mark = std::to_integer<unsigned>(bytes[at + 1]);
    if (mark == 0xFF) {  // fills
      ++at;
      continue;
    }
    std::uint32_t length = big_endian(bytes, at + 2, 2);
    if (mark == 0xD8 || mark == 0xD9 || mark == 0xDA || length < 2) break;
    bool is_frame = mark >= 0xC0 && mark <= 0xCF && mark != 0xC4 && mark != 0xC8 && mark != 0xCC;
    if (!is_frame) {
      at += 2 + length;
      continue;
    }
    if (at + 9 > bytes.size()) break;
    return {big_endian(bytes, at + 7, 2), big_endian(bytes, at + 5, 2)};
  }
  if (at + 9 > bytes.size()) refuse_cut("JPEG");
  throw Error(ErrorCode::corrupt, "the JPEG does not say its size");
}

void decode_to_the_end(ByteView bytes, std::uint64_t most_pixels, const Wait& wait) {
  OpenedJpeg jpeg = open_jpeg(bytes, {.width = 1, .height = 1, .most_pixels = most_pixels}, wait);
  std::vector<std::byte> row(std::size_t{jpeg.rows->size().width} * jpeg.rows->channels());
  for (std::uint32_t y = 0; y < jpeg.rows->size().height; ++y) {
    throw_if_stopped(wait);
    jpeg.rows->next(row);
  }
}

ImageFile jpeg_file(ByteView bytes, std::uint64_t most_pixels, const Wait& wait) {
  ImageFile file{
      .extension = ".jpg", .size = jpeg_size(bytes), .encoding = {}, .in_message = bytes};
  check_size(file.size.width, file.size.height, most_pixels);
  constexpr std::string_view kEnd = "\xFF\xD9";
  std::size_t end = as_text(bytes).find_last_not_of('\0');
  bool has_end = end >= 1 && as_text(bytes).substr(end - 1, 2) == kEnd;
  if (!has_end) decode_to_the_end(bytes, most_pixels, wait);
  return file;
}

/// A PNG is a row of parts, each with its length in front and a checksum behind it.
ImageFile png_file(ByteView bytes, std::uint64_t most_pixels) {
  constexpr std::size_t kSignatureBytes = 8;
  constexpr std::size_t kAroundBytes = 12;
  if (bytes.size() < kSignatureBytes + kAroundBytes + 13) refuse_cut("PNG");
  if (as_text(bytes).substr(kSignatureBytes + 4, 4) != "IHDR") {
    throw Error(ErrorCode::corrupt, "the PNG does not say its size");
  }
  ImageFile file{.extension = ".png",
                 .size = {big_endian(bytes, 16, 4), big_endian(bytes, 20, 4)},
                 .encoding = {},
                 .in_message = bytes};
  check_size(file.size.width, file.size.height, most_pixels);
  for (std::size_t at = kSignatureBytes; bytes.size() - at >= kAroundBytes;) {
    std::size_t length = big_endian(bytes, at, 4);
    if (length > bytes.size() - at - kAroundBytes) break;
    if (as_text(bytes).substr(at + 4, 4) == "IEND") return file;
    at += kAroundBytes + length;
  }
  refuse_cut("PNG");
}

/// compressedDepth of ROS: values of 16 bits as they are, or depths in metres as their inverse.
ImageFile depth_file(const CompressedDepth& depth, std::string_view format,
                     std::uint64_t most_pixels, const Wait& wait) {
  if (!format.starts_with("32FC1")) return png_file(depth.png, most_pixels);
  OpenedPng png = open_png(depth.png, most_pixels, wait);
  if (png.rows) throw Error(ErrorCode::corrupt, "the depths are no PNG with 16 bits a value");
  RawImage image{.width = png.size.width,
                 .height = png.size.height,
                 .encoding = "16UC1",
                 .step = 0,
                 .is_big_endian = true,
                 .data = png.values};
  ExactPng made = inverse_depth_png(image, depth.inverse, most_pixels, wait);
  return {.extension = ".png",
          .size = made.size,
          .encoding = {},
          .in_message = {},
          .made = std::move(made.bytes),
          .far_pixels = made.far_pixels,
          .is_in_millimetres = true};
}

ImageFile compressed_file(ByteView data, std::string_view format, std::uint64_t most_pixels,
                          const Wait& wait) {
  if (is_jpeg(data)) return jpeg_file(data, most_pixels, wait);
  if (is_png(data)) return png_file(data, most_pixels);
  if (auto depth = compressed_depth(data)) return depth_file(*depth, format, most_pixels, wait);
  refuse_compressed(data, format);
}

ImageFile raw_file(const RawImage& image, std::uint64_t most_pixels, const Wait& wait) {
  ExactPng png = exact_png(image, most_pixels, wait);
  return {.extension = ".png",
          .size = png.size,
          .encoding = {},
          .in_message = {},
          .made = std::move(png.bytes),
          .far_pixels = png.far_pixels,
          .is_in_millimetres = image.encoding == "32FC1"};
}

}  // namespace

ImageFile image_file(const ImageMessage& fields, std::uint64_t most_pixels, const Wait& wait) {
  if (auto image = fields.raw()) {
    ImageFile file = raw_file(*image, most_pixels, wait);
    file.encoding = *fields.encoding;
    return file;
  }
  if (fields.is_compressed()) {
    ImageFile file = compressed_file(*fields.data, *fields.format, most_pixels, wait);
    file.encoding = *fields.format;
    return file;
  }
  refuse_without_picture();
}

}  // namespace kitbag
