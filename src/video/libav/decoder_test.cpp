#include "video/libav/decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "tests/support/skip_or_fail.h"
#include "tests/support/thrown_by.h"
#include "tests/support/videos.h"
#include "video/libav/av.h"

namespace kitbag::libav {
namespace {

using ::testing::HasSubstr;
using Frames = std::vector<std::unique_ptr<const VideoFrame>>;

/// The frames that `data` gives at once.
Frames decoded(VideoDecoder& decoder, const std::string& data, int time) {
  Frames frames;
  decoder.decode(as_bytes(data), from_ns(time), [&](std::unique_ptr<const VideoFrame> frame) {
    frames.push_back(std::move(frame));
  });
  return frames;
}

void expect_gray(const VideoFrame& frame, int gray) {
  Picture picture = frame.picture();
  ASSERT_EQ(picture.width, 64U);
  ASSERT_EQ(picture.height, 48U);
  ASSERT_EQ(picture.channels, 3U);
  ASSERT_EQ(picture.pixels.size(), 64U * 48 * 3);
  for (std::byte value : picture.pixels) ASSERT_NEAR(std::to_integer<int>(value), gray, 3);
}

TEST(LibavTest, EachMessageGivesItsFrame) {
  for (const auto& [format, frames] : test::videos()) {
    auto decoder = create_decoder(format, {});
    for (int i = 0; i < 12; ++i) {
      Frames given = decoded(*decoder, frames.at(static_cast<std::size_t>(i)), i);
      ASSERT_EQ(given.size(), 1U) << format << " " << i;
      EXPECT_EQ(given[0]->time(), from_ns(i));
      expect_gray(*given[0], 20 * i);
    }
    decoder->flush([](const auto&) { FAIL(); });
    expect_gray(*decoded(*decoder, frames[6], 6).at(0), 120);
  }
}

TEST(LibavTest, FramesOutliveTheirDecoder) {
  for (const auto& [format, frames] : test::videos()) {
    auto decoder = create_decoder(format, {});
    Frames given = decoded(*decoder, frames[6], 1);
    decoder.reset();
    expect_gray(*given.at(0), 120);
  }
}

TEST(LibavTest, Limits) {
  for (const auto& [format, frames] : test::videos()) {
    VideoLimits limits;
    limits.most_pixels = 64 * 48 - 1;
    Error error = test::thrown_by([&] { decoded(*create_decoder(format, limits), frames[0], 0); });
    if (format == "vp9") {  // libav's parser does not read the size
      EXPECT_EQ(error.code(), ErrorCode::corrupt);
    } else {
      EXPECT_EQ(error.code(), ErrorCode::limit) << format << error.what();
      EXPECT_THAT(error.what(), HasSubstr("64 x 48 pixels is too large"));
    }
    limits = {};
    limits.most_message_bytes = 10;
    error = test::thrown_by([&] { decoded(*create_decoder(format, limits), frames[0], 0); });
    EXPECT_EQ(error.code(), ErrorCode::limit);
    if (format == "av1") continue;  // dav1d has memory of its own
    limits = {};
    limits.most_frame_bytes = 1000;
    error = test::thrown_by([&] { decoded(*create_decoder(format, limits), frames[0], 0); });
    EXPECT_EQ(error.code(), ErrorCode::limit) << format << error.what();
    EXPECT_THAT(error.what(), HasSubstr("more than 1000 bytes"));
  }
}

/// Frames of H.264 in red, of 128 x 96 pixels and four slices each. Empty: libavcodec was built
/// without x264.
std::vector<std::string> encoded_in_slices() {
  std::vector<std::string> messages;
  const AVCodec* codec = avcodec_find_encoder_by_name("libx264");
  if (!codec) return messages;
  Context context(avcodec_alloc_context3(codec));
  context->width = 128;
  context->height = 96;
  context->pix_fmt = AV_PIX_FMT_YUV420P;
  context->time_base = {1, 10};
  context->max_b_frames = 0;
  context->slices = 4;
  AVDictionary* options = nullptr;
  av_dict_set(&options, "tune", "zerolatency", 0);
  av_dict_set(&options, "x264-params", "log-level=none", 0);
  EXPECT_GE(avcodec_open2(context.get(), codec, &options), 0);
  av_dict_free(&options);
  Frame frame(av_frame_alloc());
  frame->format = context->pix_fmt;
  frame->width = context->width;
  frame->height = context->height;
  EXPECT_GE(av_frame_get_buffer(frame.get(), 0), 0);
  constexpr int kRed[] = {81, 90, 240};  // in BT.601, with black at 16
  for (int plane = 0; plane < 3; ++plane) {
    int rows = plane == 0 ? frame->height : frame->height / 2;
    std::memset(frame->data[plane], kRed[plane],
                static_cast<std::size_t>(rows * frame->linesize[plane]));
  }
  Packet packet(av_packet_alloc());
  for (int i = 0; i < 4; ++i) {
    frame->pts = i;
    EXPECT_EQ(avcodec_send_frame(context.get(), frame.get()), 0);
    EXPECT_EQ(avcodec_receive_packet(context.get(), packet.get()), 0);
    messages.emplace_back(reinterpret_cast<const char*>(packet->data),
                          static_cast<std::size_t>(packet->size));
    av_packet_unref(packet.get());
  }
  return messages;
}

TEST(LibavTest, SlicesAndColours) {
  std::vector<std::string> messages = encoded_in_slices();
  if (messages.empty()) KITBAG_SKIP("libavcodec has no encoder for H.264");
  auto decoder = create_decoder("h264", {});
  for (int i = 0; i < 4; ++i) {
    Frames given = decoded(*decoder, messages.at(static_cast<std::size_t>(i)), i);
    ASSERT_EQ(given.size(), 1U) << i;
    Picture picture = given[0]->picture();
    ASSERT_EQ(picture.pixels.size(), 128U * 96 * 3);
    for (std::size_t at = 0; at < picture.pixels.size(); at += 3) {
      ASSERT_NEAR(std::to_integer<int>(picture.pixels[at]), 254, 4);
      ASSERT_NEAR(std::to_integer<int>(picture.pixels[at + 1]), 0, 4);
      ASSERT_NEAR(std::to_integer<int>(picture.pixels[at + 2]), 0, 4);
    }
  }
  // Without its last slice.
  std::string cut = messages[0].substr(0, messages[0].rfind(std::string("\0\0\1", 3)));
  EXPECT_ERROR(corrupt, decoded(*create_decoder("h264", {}), cut, 0));
}

/// Whatever it is, it ends with frames or an Error. Returns how many messages gave no frame.
int survive(const std::string& format, const std::vector<std::string>& messages) {
  int without = 0;
  auto decoder = create_decoder(format, {});
  for (const std::string& message : messages) {
    try {
      Frames frames = decoded(*decoder, message, 0);
      for (const auto& frame : frames) frame->picture();
      if (frames.empty()) ++without;
    } catch (const Error& error) {
      EXPECT_TRUE(is_damage(error.code())) << error.what();
      ++without;
      decoder = create_decoder(format, {});
    }
  }
  return without;
}

TEST(LibavTest, StreamsThatAreDamaged) {
  std::mt19937 random(7);
  for (const auto& [format, frames] : test::videos()) {
    EXPECT_EQ(survive(format, {std::string(500, '\0'), "x", "\0\0\1"}), 3) << format;
    EXPECT_GE(survive(format, {frames[1], frames[2]}), 1) << format;  // without a key frame
    std::vector<std::string> cut;
    for (std::size_t size = 1; size < frames[0].size(); size += 3) {
      cut.push_back(frames[0].substr(0, size));
    }
    EXPECT_GT(survive(format, cut), 0) << format;
    for (int i = 0; i < 60; ++i) {
      std::vector<std::string> changed = frames;
      for (std::string& frame : changed) {
        for (int bit = 0; bit < 3; ++bit) {
          frame[random() % frame.size()] ^= static_cast<char>(1 << (random() % 8));
        }
      }
      survive(format, changed);
    }
  }
}

TEST(LibavTest, FramesThatClaimToBeHuge) {
  // The 16 bits of width and height of a VP9 frame are behind four bits of its colours.
  std::string huge = test::videos()["vp9"][0];
  ASSERT_EQ(huge.substr(4, 5), std::string("\x00\x03\xf0\x02\xf6", 5));
  huge[4] = '\x0f';
  huge[5] = huge[6] = huge[7] = '\xff';
  EXPECT_EQ(survive("vp9", {huge}), 1);
}

TEST(LibavTest, AFormatThatChanges) {
  auto all = test::videos();
  survive("h264", {all["h264"][0], all["h265"][0], all["vp9"][0], all["h264"][6]});
  EXPECT_EQ(test::thrown_by([&] { decoded(*create_decoder("h264", {}), "", 0); }).code(),
            ErrorCode::corrupt);
}

}  // namespace
}  // namespace kitbag::libav
