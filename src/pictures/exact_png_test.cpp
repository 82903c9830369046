#include "pictures/exact_png.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "pictures/png.h"
#include "tests/support/thrown_by.h"

// tests/interop/export_images_test.py compares all encodings with what Pillow reads.

namespace kitbag {
namespace {

using ::testing::ElementsAre;

constexpr std::uint64_t kMostPixels = 1 << 20;

std::string text_of_floats(std::initializer_list<float> values) {
  std::string text;
  for (float value : values) text.append(reinterpret_cast<const char*>(&value), sizeof value);
  return text;
}

/// The values of a gray PNG with 16 bits.
std::vector<unsigned> gray_values_of(const ExactPng& png) {
  OpenedPng opened = open_png(png.bytes, kMostPixels, {});
  std::vector<unsigned> values;
  for (std::size_t i = 0; i + 1 < opened.values.size(); i += 2) {
    values.push_back(std::to_integer<unsigned>(opened.values[i]) << 8 |
                     std::to_integer<unsigned>(opened.values[i + 1]));
  }
  return values;
}

TEST(ExactPng, KeepsValuesOf16Bits) {
  std::string data("\x01\x02\xff\xfe", 4);
  RawImage image{.width = 2, .height = 1, .encoding = "16UC1", .step = 4, .data = as_bytes(data)};
  EXPECT_THAT(gray_values_of(exact_png(image, kMostPixels, {})), ElementsAre(0x0201, 0xfeff));
  image.is_big_endian = true;
  EXPECT_THAT(gray_values_of(exact_png(image, kMostPixels, {})), ElementsAre(0x0102, 0xfffe));
}

TEST(ExactPng, MetresBecomeMillimetres) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  std::string data = text_of_floats({1.0006F, kNan, -2, 65.535F, 65.536F, kNan});
  RawImage image{.width = 3, .height = 2, .encoding = "32FC1", .step = 0, .data = as_bytes(data)};
  ExactPng png = exact_png(image, kMostPixels, {});
  EXPECT_THAT(gray_values_of(png), ElementsAre(1001, 0, 0, 65535, 0, 0));
  EXPECT_EQ(png.far_pixels, 1U);
}

TEST(ExactPng, InverseDepthsBecomeMillimetres) {
  std::string data("\x64\0\0\0", 4);
  RawImage image{.width = 2, .height = 1, .encoding = "16UC1", .step = 0, .data = as_bytes(data)};
  EXPECT_THAT(gray_values_of(inverse_depth_png(image, {200, 50}, kMostPixels, {})),
              ElementsAre(4000, 0));
}

TEST(ExactPng, RefusesWhatAPngCannotHave) {
  std::string data(64, 'x');
  for (const char* encoding : {"8UC2", "16UC2", "8SC1", "16SC1", "32SC1", "32FC3", "64FC1", "x"}) {
    RawImage image{
        .width = 1, .height = 1, .encoding = encoding, .step = 0, .data = as_bytes(data)};
    EXPECT_ERROR(unsupported, exact_png(image, kMostPixels, {})) << encoding;
  }
}

TEST(ExactPng, ChecksSizesBeforeItReads) {
  std::string data(12, 'x');
  RawImage image{.width = 2, .height = 2, .encoding = "rgb8", .step = 6, .data = as_bytes(data)};
  EXPECT_EQ(exact_png(image, kMostPixels, {}).size, (PictureSize{2, 2}));
  image.step = 5;
  EXPECT_ERROR(corrupt, exact_png(image, kMostPixels, {}));
  image.step = 7;
  EXPECT_ERROR(truncated, exact_png(image, kMostPixels, {}));
  image.height = 0xFFFFFFFF;
  EXPECT_ERROR(limit, exact_png(image, kMostPixels, {}));
}

TEST(ExactPng, EndsWhenItIsStopped) {
  std::string data(12, 'x');
  RawImage image{.width = 2, .height = 2, .encoding = "rgb8", .step = 6, .data = as_bytes(data)};
  std::stop_source stop;
  stop.request_stop();
  EXPECT_ERROR(cancelled, exact_png(image, kMostPixels, {.stop = stop.get_token()}));
}

TEST(ExactPng, KeepsAPicture) {
  Picture picture{.width = 1, .height = 2, .channels = 1, .pixels = {std::byte{3}, std::byte{250}}};
  auto png = exact_png(picture, {});
  OpenedPng opened = open_png(png.bytes, kMostPixels, {});
  std::vector<std::byte> row(1);
  opened.rows->next(row);
  EXPECT_EQ(row[0], std::byte{3});
  opened.rows->next(row);
  EXPECT_EQ(row[0], std::byte{250});
}

}  // namespace
}  // namespace kitbag
