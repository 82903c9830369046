#include "pictures/raw_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (int value : values) text += static_cast<char>(value);
  return text;
}

template <class Value>
std::string values(std::initializer_list<Value> all, bool is_big_endian = false) {
  std::string text;
  for (Value value : all) {
    std::string one(reinterpret_cast<const char*>(&value), sizeof value);
    text += is_big_endian ? std::string(one.rbegin(), one.rend()) : one;
  }
  return text;
}

/// An image of 2 x 2 pixels, unless it says otherwise.
struct Given {
  std::string encoding;
  std::string data;
  std::uint64_t width = 2;
  std::uint64_t height = 2;
  std::uint64_t step = 0;
  bool is_big_endian = false;

  RawImage image() const { return {width, height, encoding, step, is_big_endian, as_bytes(data)}; }
};

std::vector<int> values_of(PictureRows& rows) {
  std::vector<std::byte> row(std::size_t{rows.size().width} * rows.channels());
  std::vector<int> all;
  for (std::uint32_t y = 0; y < rows.size().height; ++y) {
    rows.next(row);
    for (std::byte value : row) all.push_back(std::to_integer<int>(value));
  }
  return all;
}

/// All values, of one channel or three.
std::vector<int> read(const Given& given) {
  return values_of(*raw_rows(given.image(), PictureOptions().most_pixels));
}

TEST(RawImageTest, Colors) {
  std::string six = bytes({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  EXPECT_THAT(read({"rgb8", six}), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
  EXPECT_THAT(read({"bgr8", six}), ElementsAre(3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10));
  EXPECT_THAT(read({"8UC3", six}), ElementsAre(3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10));
  std::string with_alpha = bytes({1, 2, 3, 0, 4, 5, 6, 128});
  EXPECT_THAT(read({"rgba8", with_alpha, 2, 1}), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(read({"bgra8", with_alpha, 2, 1}), ElementsAre(3, 2, 1, 6, 5, 4));
  EXPECT_THAT(read({"8UC4", with_alpha, 2, 1}), ElementsAre(3, 2, 1, 6, 5, 4));
  for (const char* name : {"mono8", "8UC1"}) {
    EXPECT_THAT(read({name, bytes({0, 1, 200, 255})}), ElementsAre(0, 1, 200, 255)) << name;
  }
  EXPECT_THAT(read({"8UC2", bytes({1, 2, 3, 4}), 2, 1}), ElementsAre(1, 3));
}

TEST(RawImageTest, ColorsOf16Bits) {
  for (bool is_big : {false, true}) {
    auto of = [&](std::initializer_list<std::uint16_t> all) { return values(all, is_big); };
    EXPECT_THAT(read({"mono16", of({0, 257, 32768, 65535}), 2, 2, 0, is_big}),
                ElementsAre(0, 1, 128, 255));
    std::string rgb = of({257, 514, 771});
    EXPECT_THAT(read({"rgb16", rgb, 1, 1, 0, is_big}), ElementsAre(1, 2, 3));
    EXPECT_THAT(read({"bgr16", rgb, 1, 1, 0, is_big}), ElementsAre(3, 2, 1));
    std::string rgba = of({257, 514, 771, 65535});
    EXPECT_THAT(read({"rgba16", rgba, 1, 1, 0, is_big}), ElementsAre(1, 2, 3));
    EXPECT_THAT(read({"bgra16", rgba, 1, 1, 0, is_big}), ElementsAre(3, 2, 1));
  }
}

TEST(RawImageTest, TypesAreScaledFromTheLeastToTheGreatestValue) {
  for (bool is_big : {false, true}) {
    auto scaled = [&](const char* encoding, const std::string& data) {
      return read({encoding, data, 2, 2, 0, is_big});
    };
    EXPECT_THAT(scaled("16UC1", values<std::uint16_t>({1000, 1100, 1200, 1500}, is_big)),
                ElementsAre(0, 51, 102, 255));
    EXPECT_THAT(scaled("16SC1", values<std::int16_t>({-500, -400, -300, 0}, is_big)),
                ElementsAre(0, 51, 102, 255));
    EXPECT_THAT(scaled("32SC1", values<std::int32_t>({INT32_MIN, 0, 0, INT32_MAX}, is_big)),
                ElementsAre(0, 128, 128, 255));
    EXPECT_THAT(scaled("32FC1", values<float>({1, 2, 3, NAN}, is_big)),
                ElementsAre(0, 128, 255, 0));
    EXPECT_THAT(scaled("32FC1", values<float>({1, INFINITY, 2, -INFINITY}, is_big)),
                ElementsAre(0, 255, 255, 0));
    constexpr double kMost = std::numeric_limits<double>::max();
    EXPECT_THAT(scaled("64FC1", values<double>({-kMost, 0, 0, kMost}, is_big)),
                ElementsAre(0, 128, 128, 255));
  }
  EXPECT_THAT(read({"8SC1", bytes({-128, -77, 127, 0})}), ElementsAre(0, 51, 255, 128));
  EXPECT_THAT(read({"16UC1", values<std::uint16_t>({7, 7, 7, 7})}), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(read({"32FC1", values<float>({NAN, NAN, NAN, NAN})}), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(read({"32FC3", values<float>({0, 5, 10}), 1, 1}), ElementsAre(255, 128, 0));
  EXPECT_THAT(read({"32FC2", values<float>({0, 99, 10, 99}), 2, 1}), ElementsAre(0, 255));
  EXPECT_THAT(read({"16UC4", values<std::uint16_t>({0, 5, 10, 999}), 1, 1}),
              ElementsAre(255, 128, 0));
}

TEST(RawImageTest, InverseDepths) {
  // 100 / (v - 0): 10 m, 5 m, 2 m, and none.
  std::string data = values<std::uint16_t>({10, 20, 50, 0});
  RawImage image{2, 2, "", 0, false, as_bytes(data)};
  EXPECT_THAT(values_of(*inverse_depth_rows(image, {100, 0}, PictureOptions().most_pixels)),
              ElementsAre(255, 96, 0, 0));
}

TEST(RawImageTest, BayerPatterns) {
  std::string four = bytes({10, 20, 30, 40});
  EXPECT_THAT(read({"bayer_rggb8", four}),
              ElementsAre(10, 25, 40, 10, 20, 40, 10, 30, 40, 10, 25, 40));
  EXPECT_THAT(read({"bayer_bggr8", four}),
              ElementsAre(40, 25, 10, 40, 20, 10, 40, 30, 10, 40, 25, 10));
  EXPECT_THAT(read({"bayer_gbrg8", four}),
              ElementsAre(30, 10, 20, 30, 25, 20, 30, 25, 20, 30, 40, 20));
  EXPECT_THAT(read({"bayer_grbg8", four}),
              ElementsAre(20, 10, 30, 20, 25, 30, 20, 25, 30, 20, 40, 30));
  for (bool is_big : {false, true}) {
    EXPECT_THAT(read({"bayer_rggb16", values<std::uint16_t>({2816, 5376, 7936, 10240}, is_big), 2,
                      2, 0, is_big}),
                ElementsAreArray(read({"bayer_rggb8", bytes({11, 21, 31, 40})})));
  }
  // In the middle: the four green ones beside it, the four blue ones at its corners.
  std::vector<int> large = read({"bayer_bggr8",
                                 bytes({40, 0, 44, 0,   //
                                        0, 9, 8, 9,     //
                                        48, 10, 52, 0,  //
                                        0, 9, 0, 9}),
                                 4, 4});
  EXPECT_EQ(std::vector<int>(large.begin() + 15, large.begin() + 18), (std::vector<int>{9, 5, 46}));
  EXPECT_THAT(read({"bayer_rggb8", bytes({7}), 1, 1}), ElementsAre(7, 7, 7));
}

TEST(RawImageTest, Yuv) {
  // Red, then black and white, which have no colour.
  std::vector<int> red = {255, 0, 0, 255, 0, 0};
  std::vector<int> gray = {0, 0, 0, 255, 255, 255};
  for (const char* name : {"yuv422", "uyvy"}) {
    EXPECT_EQ(read({name, bytes({90, 81, 240, 81}), 2, 1}), red) << name;
    EXPECT_EQ(read({name, bytes({128, 16, 128, 235}), 2, 1}), gray) << name;
  }
  for (const char* name : {"yuv422_yuy2", "yuyv"}) {
    EXPECT_EQ(read({name, bytes({81, 90, 81, 240}), 2, 1}), red) << name;
    EXPECT_EQ(read({name, bytes({16, 128, 235, 128}), 2, 1}), gray) << name;
  }
  EXPECT_THAT(read({"yuv422", bytes({90, 81, 240, 0}), 1, 1}), ElementsAre(255, 0, 0));
  std::string nv12 = bytes({81, 81, 16, 16, 81, 81, 235, 235, 90, 240, 128, 128});
  std::vector<int> half_red = {255, 0, 0, 255, 0, 0, 0,   0,   0,   0,   0,   0,
                               255, 0, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255};
  EXPECT_EQ(read({"nv12", nv12, 4, 2}), half_red);
  std::string nv21 = bytes({81, 81, 16, 16, 81, 81, 235, 235, 240, 90, 128, 128});
  EXPECT_EQ(read({"nv21", nv21, 4, 2}), half_red);
  std::string nv24 = bytes({81, 16, 235, 81, 90, 240, 128, 128, 128, 128, 90, 240});
  EXPECT_THAT(read({"nv24", nv24}), ElementsAre(255, 0, 0, 0, 0, 0, 255, 255, 255, 255, 0, 0));
}

TEST(RawImageTest, StepsWiderThanRows) {
  // The last row need not be padded.
  EXPECT_THAT(read({"mono8", bytes({1, 2, 99, 3, 4}), 2, 2, 3}), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(read({"bgr8", bytes({1, 2, 3, 99, 99, 4, 5, 6}), 1, 2, 5}),
              ElementsAre(3, 2, 1, 6, 5, 4));
  EXPECT_THAT(read({"16UC1", values<std::uint16_t>({0, 60000, 10}), 1, 2, 4}), ElementsAre(0, 255));
  EXPECT_THAT(read({"bayer_rggb8", bytes({10, 20, 99, 30, 40}), 2, 2, 3}),
              ElementsAreArray(read({"bayer_rggb8", bytes({10, 20, 30, 40})})));
  EXPECT_THAT(read({"yuv422", bytes({90, 81, 240, 81, 99, 128, 16, 128, 235}), 2, 2, 5}),
              ElementsAre(255, 0, 0, 255, 0, 0, 0, 0, 0, 255, 255, 255));
  EXPECT_THAT(read({"nv12", bytes({81, 81, 9, 16, 16, 9, 90, 240}), 2, 2, 3}).front(), 255);
  EXPECT_EQ(read({"nv24", bytes({16, 9, 235, 9, 128, 128, 9, 9, 128, 128, 9}), 1, 2, 2}),
            (std::vector<int>{0, 0, 0, 255, 255, 255}));
}

TEST(RawImageTest, SizesThatContradictTheData) {
  auto refused = [](const Given& given) {
    return test::thrown_by([&] { raw_rows(given.image(), PictureOptions().most_pixels); });
  };
  EXPECT_EQ(refused({"mono8", bytes({1, 2, 3})}).code(), ErrorCode::truncated);
  EXPECT_EQ(refused({"mono8", bytes({1, 2, 3, 4}), 2, 2, 3}).code(), ErrorCode::truncated);
  EXPECT_EQ(refused({"bgr8", bytes({1, 2, 3, 4}), 2, 2, 2}).code(), ErrorCode::corrupt);
  EXPECT_EQ(refused({"nv12", bytes({1, 2, 3, 4, 5})}).code(), ErrorCode::truncated);
  EXPECT_EQ(refused({"nv24", bytes({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})}).code(),
            ErrorCode::truncated);
  EXPECT_EQ(refused({"bayer_rggb16", bytes({1, 2, 3, 4})}).code(), ErrorCode::truncated);
  EXPECT_EQ(refused({"mono8", "", 0, 5}).code(), ErrorCode::corrupt);
  EXPECT_EQ(refused({"mono8", "", 5, 0}).code(), ErrorCode::corrupt);
  EXPECT_EQ(refused({"mono8", "", 100'000, 100'000}).code(), ErrorCode::limit);
  EXPECT_EQ(refused({"mono8", "", UINT64_MAX, UINT64_MAX}).code(), ErrorCode::limit);
  EXPECT_EQ(refused({"mono8", "x", 1, 1, UINT64_MAX}).code(), ErrorCode::corrupt);
  EXPECT_EQ(refused({"mono8", "x", 1, 1 << 26, UINT32_MAX}).code(), ErrorCode::truncated);
  EXPECT_THAT(refused({"mono8", bytes({1, 2, 3})}).what(),
              HasSubstr("2 x 2 pixels in mono8 need 4 bytes, and there are 3"));
}

TEST(RawImageTest, EncodingsThatAreNotKnown) {
  for (const char* name :
       {"", "rgb", "rgb32", "mono", "8", "16", "8UC", "8UC0", "8UC5", "8UC11", "32UC1", "bayer_",
        "bayer_rgbg8", "bayer_rggb", "bayer_rggb32", "nv", "nv16", "yuv", "\x1b[2J"}) {
    Error error = test::thrown_by([&] {
      std::string data(64, 'x');
      raw_rows({1, 1, name, 0, false, as_bytes(data)}, PictureOptions().most_pixels);
    });
    EXPECT_EQ(error.code(), ErrorCode::unsupported) << name;
    EXPECT_THAT(error.what(), ::testing::Not(HasSubstr("\x1b")));
  }
}

}  // namespace
}  // namespace kitbag
