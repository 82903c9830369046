#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "kitbag/bytes.h"
#include "kitbag/video.h"
#include "pictures/video_format.h"
#include "tests/support/videos.h"

namespace kitbag {
namespace {

bool is_key(std::string_view format, std::string_view data) {
  return is_key_frame(format, as_bytes(data));
}

TEST(KeyFrameTest, OfRealStreams) {
  for (const auto& [format, frames] : test::videos()) {
    ASSERT_EQ(frames.size(), 12U) << format;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      EXPECT_EQ(is_key(format, frames[i]), i == 0 || i == 6) << format << " " << i;
      for (std::size_t size = 0; size < frames[i].size(); ++size) {  // reads nothing beyond its end
        bool is_key_still = is_key(format, std::string(frames[i].data(), size));
        EXPECT_TRUE(!is_key_still || i == 0 || i == 6) << format << " " << i;
      }
    }
  }
}

TEST(KeyFrameTest, NamesOfFormats) {
  std::string frame = test::videos()["h265"][0];
  EXPECT_TRUE(is_key("HEVC", frame));
  EXPECT_TRUE(is_key("H265", frame));
  EXPECT_FALSE(is_key("h264", frame));
  EXPECT_FALSE(is_key("vp8", frame));
  EXPECT_FALSE(is_key("", ""));
  EXPECT_EQ(video_format("H264"), "h264");
  EXPECT_EQ(video_format("jpeg"), "");
  EXPECT_EQ(video_format("h264;yuv420p;bgr8;bgr8"), "h264");
  EXPECT_EQ(video_format("hevc_nvenc"), "h265");
  EXPECT_EQ(video_format("libx264"), "h264");
  EXPECT_EQ(video_format("rgb8; jpeg compressed bgr8"), "");
  EXPECT_EQ(video_format("h264x"), "");
  EXPECT_EQ(video_format(""), "");
}

TEST(KeyFrameTest, ParametersComeWithTheKeyFrame) {
  using std::string_literals::operator""s;
  const std::string parameters = "\0\0\1\x67xxx"s;
  const std::string key = "\0\0\0\1\x65xxx"s;
  const std::string change = "\0\0\1\x41xxx"s;
  EXPECT_TRUE(is_key("h264", parameters + key));
  EXPECT_FALSE(is_key("h264", key));
  EXPECT_FALSE(is_key("h264", parameters + change));
  EXPECT_FALSE(is_key("h264", change + parameters + key));
  EXPECT_FALSE(is_key("h264", parameters));
  // A size that goes beyond the frame, in a unit of AV1 that is not the last one.
  EXPECT_FALSE(is_key("av1", "\x12\xff\xff\xff\xff\x0f"));
  EXPECT_FALSE(is_key("av1", "\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"));
}

}  // namespace
}  // namespace kitbag
