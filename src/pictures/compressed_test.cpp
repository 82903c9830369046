// jpeglib.h needs stdio.h and does not include it.
#include <cstdio>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jpeglib.h>
#include <png.h>

#include <cstdlib>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "pictures/jpeg.h"
#include "pictures/png.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using ::testing::HasSubstr;

/// Red from left to right, green from top to bottom.
Picture gradient(std::uint32_t width, std::uint32_t height, std::uint32_t channels) {
  Picture picture{width, height, channels};
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      picture.pixels.push_back(static_cast<std::byte>(255 * x / width));
      if (channels == 1) continue;
      picture.pixels.push_back(static_cast<std::byte>(255 * y / height));
      picture.pixels.push_back(std::byte{40});
    }
  }
  return picture;
}

Picture read_jpeg(ByteView bytes, const PictureOptions& options = {}) {
  OpenedJpeg jpeg = open_jpeg(bytes, options, {});
  return scaled_picture(*jpeg.rows, scaled_size(jpeg.whole, options), {});
}

Picture read_png(ByteView bytes, const PictureOptions& options = {}) {
  OpenedPng png = open_png(bytes, options.most_pixels, {});
  return scaled_picture(*png.rows, scaled_size(png.size, options), {});
}

void expect_near(const Picture& a, const Picture& b, int most) {
  ASSERT_EQ(a.width, b.width);
  ASSERT_EQ(a.height, b.height);
  ASSERT_EQ(a.channels, b.channels);
  ASSERT_EQ(a.pixels.size(), b.pixels.size());
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    ASSERT_NEAR(std::to_integer<int>(a.pixels[i]), std::to_integer<int>(b.pixels[i]), most) << i;
  }
}

/// A JPEG in several scans, each of which makes it finer; `scans` times the same one at the end.
std::vector<std::byte> progressive_jpeg(const Picture& picture, int scans = 0) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = picture.width;
  info.image_height = picture.height;
  info.input_components = static_cast<int>(picture.channels);
  info.in_color_space = picture.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  std::size_t row_bytes = std::size_t{picture.width} * picture.channels;
  std::vector<std::byte> row(row_bytes);
  while (info.next_scanline < info.image_height) {
    std::copy_n(
        picture.pixels.begin() + static_cast<std::ptrdiff_t>(row_bytes * info.next_scanline),
        row_bytes, row.begin());
    auto* at = reinterpret_cast<JSAMPROW>(row.data());
    jpeg_write_scanlines(&info, &at, 1);
  }
  jpeg_finish_compress(&info);
  std::string text(reinterpret_cast<const char*>(bytes), size);
  jpeg_destroy_compress(&info);
  std::free(bytes);
  // The last scan begins at the last marker SOS.
  std::string last = text.substr(text.rfind("\xff\xda"));
  last.resize(last.size() - 2);
  std::string more;
  for (int i = 0; i < scans; ++i) more += last;
  text.insert(text.size() - 2, more);
  ByteView view = as_bytes(text);
  return {view.begin(), view.end()};
}

TEST(JpegTest, IsReadAsItWasWritten) {
  for (std::uint32_t channels : {1U, 3U}) {
    Picture picture = gradient(70, 50, channels);
    std::vector<std::byte> bytes = encode_jpeg(picture);
    EXPECT_TRUE(is_jpeg(bytes));
    expect_near(read_jpeg(bytes), picture, 8);
    expect_near(read_jpeg(progressive_jpeg(picture)), picture, 8);
  }
}

TEST(JpegTest, IsDecodedAsSmallAsPossible) {
  std::vector<std::byte> bytes = encode_jpeg(gradient(1600, 1200, 3));
  auto decoded_width = [&](std::uint32_t width) {
    return open_jpeg(bytes, {.width = width}, {}).rows->size().width;
  };
  EXPECT_EQ(decoded_width(160), 200U);
  EXPECT_EQ(decoded_width(200), 200U);
  EXPECT_EQ(decoded_width(201), 400U);
  EXPECT_EQ(decoded_width(800), 800U);
  EXPECT_EQ(decoded_width(801), 1600U);
  EXPECT_EQ(decoded_width(0), 1600U);
  expect_near(read_jpeg(bytes, {.width = 160}), gradient(160, 120, 3), 8);
}

TEST(JpegTest, NoPartOfADamagedOneIsShown) {
  for (bool is_progressive : {false, true}) {
    Picture picture = gradient(200, 200, 3);
    std::vector<std::byte> bytes =
        is_progressive ? progressive_jpeg(picture) : encode_jpeg(picture);
    ByteView all(bytes);
    for (std::size_t left : {4UL, 20UL, 300UL, bytes.size() / 2, bytes.size() - 40}) {
      Error error = test::thrown_by([&] { read_jpeg(all.first(left)); });
      EXPECT_EQ(error.code(), ErrorCode::truncated) << left << ": " << error.what();
    }
    // Only its end is missing: some cameras leave that out.
    expect_near(read_jpeg(all.first(bytes.size() - 2)), picture, 8);
  }
  std::mt19937 random(3);
  std::vector<std::byte> bytes = encode_jpeg(gradient(64, 64, 3));
  for (int i = 0; i < 500; ++i) {
    std::vector<std::byte> damaged = bytes;
    for (int k = 0; k < 3; ++k) {
      damaged[random() % damaged.size()] = static_cast<std::byte>(random() % 256);
    }
    try {
      read_jpeg(damaged, {.most_pixels = 1 << 20});
    } catch (const Error&) {
    }
  }
}

TEST(JpegTest, WhatItMayTake) {
  std::vector<std::byte> bytes = encode_jpeg(gradient(100, 100, 1));
  EXPECT_ERROR(limit, read_jpeg(bytes, {.most_pixels = 9999}));
  read_jpeg(bytes, {.most_pixels = 10'000});
  Error error = test::thrown_by([&] { read_jpeg(progressive_jpeg(gradient(16, 16, 1), 200)); });
  EXPECT_EQ(error.code(), ErrorCode::limit);
  EXPECT_THAT(error.what(), HasSubstr("too many scans"));
  Picture wide{65'501, 1, 1, std::vector<std::byte>(65'501)};
  EXPECT_ERROR(limit, encode_jpeg(wide));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_ERROR(cancelled, open_jpeg(progressive_jpeg(gradient(64, 64, 1)), {}, {stop.get_token()}));
}

/// Rows of `row_bytes` bytes as a PNG, in a type of libpng.
std::vector<std::byte> png_of(std::uint32_t width, std::uint32_t height, int depth, int type,
                              const std::string& values, bool is_interlaced = false,
                              bool has_palette = false) {
  std::string text;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &text,
      [](png_structp to, png_bytep bytes, std::size_t count) {
        static_cast<std::string*>(png_get_io_ptr(to))
            ->append(reinterpret_cast<const char*>(bytes), count);
      },
      [](png_structp) {});
  png_set_IHDR(png, info, width, height, depth, type,
               is_interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  const std::vector<png_color> palette = {{1, 2, 3}, {4, 5, 6}};
  if (has_palette) png_set_PLTE(png, info, palette.data(), 2);
  png_write_info(png, info);
  std::size_t row_bytes = values.size() / height;
  std::vector<png_bytep> rows;
  std::string copy = values;
  for (std::uint32_t y = 0; y < height; ++y) {
    rows.push_back(reinterpret_cast<png_bytep>(copy.data() + y * row_bytes));
  }
  png_write_image(png, rows.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  ByteView view = as_bytes(text);
  return {view.begin(), view.end()};
}

std::string pixels_of(const Picture& picture) {
  return std::string(as_text(picture.pixels));
}

TEST(PngTest, IsReadAsItWasWritten) {
  for (std::uint32_t channels : {1U, 3U}) {
    Picture picture = gradient(70, 50, channels);
    std::vector<std::byte> bytes = encode_png(picture);
    EXPECT_TRUE(is_png(bytes));
    expect_near(read_png(bytes), picture, 0);
  }
}

TEST(PngTest, AllTypes) {
  using namespace std::literals;
  EXPECT_EQ(pixels_of(read_png(png_of(2, 1, 8, PNG_COLOR_TYPE_RGBA, "abc\0def\x80"s))), "abcdef");
  EXPECT_EQ(pixels_of(read_png(png_of(2, 1, 8, PNG_COLOR_TYPE_GRAY_ALPHA, "a\0b\x80"s))), "ab");
  EXPECT_EQ(pixels_of(read_png(png_of(2, 1, 1, PNG_COLOR_TYPE_GRAY, "\x40"))), "\0\xff"s);
  EXPECT_EQ(pixels_of(read_png(png_of(2, 1, 8, PNG_COLOR_TYPE_PALETTE, "\0\1"s, false, true))),
            "\1\2\3\4\5\6");
  EXPECT_EQ(pixels_of(read_png(png_of(1, 1, 16, PNG_COLOR_TYPE_RGB, "aabbcc"))), "abc");
  Picture picture = gradient(33, 17, 3);
  expect_near(read_png(png_of(33, 17, 8, PNG_COLOR_TYPE_RGB, pixels_of(picture), true)), picture,
              0);
  OpenedPng deep =
      open_png(png_of(2, 1, 16, PNG_COLOR_TYPE_GRAY, "\1\2\3\4"), PictureOptions().most_pixels, {});
  EXPECT_EQ(deep.rows, nullptr);
  EXPECT_EQ(as_text(deep.values), "\1\2\3\4");
}

TEST(PngTest, NoPartOfADamagedOneIsShown) {
  std::vector<std::byte> bytes = encode_png(gradient(50, 50, 3));
  ByteView all(bytes);
  for (std::size_t left : {8UL, 20UL, 60UL, bytes.size() / 2, bytes.size() - 20}) {
    Error error = test::thrown_by([&] { read_png(all.first(left)); });
    EXPECT_EQ(error.code(), ErrorCode::truncated) << left << ": " << error.what();
  }
  bytes[bytes.size() / 2] ^= std::byte{1};
  EXPECT_ERROR(corrupt, read_png(bytes));
  std::mt19937 random(3);
  for (int i = 0; i < 500; ++i) {
    std::vector<std::byte> damaged(bytes);
    damaged[random() % damaged.size()] = static_cast<std::byte>(random() % 256);
    try {
      read_png(damaged, {.most_pixels = 1 << 20});
    } catch (const Error&) {
    }
  }
}

TEST(PngTest, WhatItMayTake) {
  std::vector<std::byte> bytes = encode_png(gradient(100, 100, 1));
  EXPECT_ERROR(limit, read_png(bytes, {.most_pixels = 9999}));
  std::stop_source stop;
  stop.request_stop();
  std::string values(2 * 64 * 64, 'x');
  EXPECT_ERROR(cancelled, open_png(png_of(64, 64, 16, PNG_COLOR_TYPE_GRAY, values),
                                   PictureOptions().most_pixels, {stop.get_token()}));
  std::vector<std::byte> interlaced =
      png_of(8, 8, 8, PNG_COLOR_TYPE_GRAY, std::string(64, 'x'), true);
  OpenedPng opened = open_png(interlaced, PictureOptions().most_pixels, {stop.get_token()});
  std::vector<std::byte> row(8);
  EXPECT_ERROR(cancelled, opened.rows->next(row));
}

}  // namespace
}  // namespace kitbag
