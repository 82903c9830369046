#include "video/libav/encoder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "kitbag/error.h"
#include "tests/support/skip_or_fail.h"
#include "tests/support/thrown_by.h"
#include "video/libav/av.h"
#include "video/libav/decoder.h"

#ifdef __SANITIZE_ADDRESS__
/// LeakSanitizer asks this. libx265 3.5 frees not all of the parameters of an encoder.
extern "C" [[gnu::visibility("default")]] const char* __lsan_default_suppressions() {
  return "leak:libx265";
}
#endif

namespace kitbag::libav {
namespace {

using std::chrono::milliseconds;

Picture gray(std::uint32_t width, std::uint32_t height, int level) {
  Picture picture{.width = width, .height = height, .channels = 1};
  picture.pixels.assign(std::size_t{width} * height, static_cast<std::byte>(level));
  return picture;
}

Time at(std::int64_t ms) {
  return from_ns(1'700'000'000'000'000'000) + milliseconds(ms);
}

class EncoderTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const char* name = std::string(GetParam()) == "h265" ? "libx265" : "libx264";
    if (!avcodec_find_encoder_by_name(name)) KITBAG_SKIP("libavcodec lacks an encoder");
  }

  std::unique_ptr<VideoEncoder> encoder(const VideoEncoding& encoding) {
    return create_encoder(GetParam(), encoding);
  }
  bool is_key(const std::vector<std::byte>& frame) { return is_key_frame(GetParam(), frame); }
};

TEST_P(EncoderTest, EachPictureGivesItsFrame) {
  auto made = encoder({.width = 64, .height = 48});
  auto decoder = create_decoder(GetParam(), {});
  for (int i = 0; i < 25; ++i) {
    std::vector<std::byte> frame = made->encode(gray(64, 48, 9 * i), at(100 * i));
    EXPECT_EQ(is_key(frame), i % 10 == 0) << i;
    int frames = 0;
    decoder->decode(frame, at(i), [&](std::unique_ptr<const VideoFrame> shown) {
      ++frames;
      EXPECT_EQ(shown->time(), at(i));
      Picture picture = shown->picture();
      EXPECT_EQ(picture.width, 64U);
      EXPECT_NEAR(std::to_integer<int>(picture.pixels.at(999)), 9 * i, 4);
    });
    EXPECT_EQ(frames, 1) << i;
  }
}

TEST_P(EncoderTest, TimesThatStandStillOrRunBack) {
  auto made = encoder({.width = 33, .height = 21});
  std::vector<bool> keys;
  for (std::int64_t ms : {0, 0, 100, 100, 50, -500, -490}) {
    keys.push_back(is_key(made->encode(gray(33, 21, 50), at(ms))));
  }
  EXPECT_EQ(keys, (std::vector<bool>{true, false, false, false, false, true, false}));
}

TEST_P(EncoderTest, KeyFramesByNumber) {
  auto made = encoder({.width = 64, .height = 48, .frames_a_key = 3});
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(is_key(made->encode(gray(64, 48, i), at(i))), i % 3 == 0) << i;
  }
}

TEST_P(EncoderTest, WhatItCannot) {
  EXPECT_ERROR(invalid, encoder({.width = 64, .height = 48, .preset = "warp"}));
  EXPECT_ERROR(invalid, encoder({.width = 0, .height = 48}));
  EXPECT_ERROR(invalid, encoder({.width = 64, .height = 1 << 20}));
  EXPECT_ERROR(invalid, encoder({.width = 64, .height = 48})->encode(gray(48, 64, 1), at(0)));
}

INSTANTIATE_TEST_SUITE_P(Formats, EncoderTest, ::testing::Values("h264", "h265"));

}  // namespace
}  // namespace kitbag::libav
