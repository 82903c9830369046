#include "export/video/container.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "export/video/encoder.h"
#include "export/video/frame_times.h"
#include "kitbag/error.h"
#include "kitbag/file_system.h"
#include "tests/support/skip_or_fail.h"
#include "tests/support/thrown_by.h"

namespace kitbag::libav {
namespace {

using ::testing::HasSubstr;

Picture gray_picture(std::size_t i) {
  Picture picture{.width = 64, .height = 48, .channels = 1};
  picture.pixels.assign(std::size_t{64} * 48, static_cast<std::byte>(10 * i));
  return picture;
}

/// Twelve frames as a file.
void write_video(Container container, bool is_streamed, Output& output) {
  if (!avcodec_find_encoder_by_name("libx264")) KITBAG_SKIP("libavcodec has no encoder for H.264");
  av_log_set_level(AV_LOG_QUIET);
  auto encoder = encoder_for(container, 64, 48, {}, is_streamed);
  VideoFile file(container, is_streamed, output, *encoder->parameters(), {"/camera", from_ns(0)});
  FrameTimes times(container, nullptr);
  auto write = [&](Packet packet) { file.write(std::move(packet)); };
  for (std::size_t i = 0; i < 12; ++i) {
    Time time = from_ns(static_cast<std::int64_t>(i) * 1'100'000'000);
    encoder->encode(gray_picture(i), times.next(time), write);
  }
  while (encoder->drain(write)) {
  }
  file.finish();
}

std::string content_of(const FileSystem& files, const std::string& path) {
  auto file = files.open(path);
  std::string content(static_cast<std::size_t>(file->size()), '\0');
  file->read(0, std::as_writable_bytes(std::span(content)));
  return content;
}

TEST(ContainerTest, AFileHasWhatIsKnownAtTheEnd) {
  auto files = memory_file_system();
  for (Container container : {Container::mp4, Container::mkv}) {
    auto file = files->create("memory://video", {});
    Output output(*file);
    write_video(container, false, output);
    EXPECT_EQ(output.written_bytes(), file->size());
    file->commit();
    std::string content = content_of(*files, "memory://video");
    if (container == Container::mkv) {
      EXPECT_EQ(content.substr(0, 4), "\x1a\x45\xdf\xa3");
      continue;
    }
    EXPECT_EQ(content.substr(4, 4), "ftyp");
    std::size_t data = content.find("mdat");
    ASSERT_NE(data, std::string::npos);
    auto at = [&](std::size_t i) { return static_cast<unsigned char>(content[data - 4 + i]); };
    std::size_t data_bytes = (at(0) << 24) | (at(1) << 16) | (at(2) << 8) | at(3);
    EXPECT_EQ(content.substr(data - 4 + data_bytes + 4, 4), "moov");  // it was written again
  }
}

TEST(ContainerTest, AStreamLeavesInFragments) {
  std::vector<std::string> pieces;
  Output output([&](ByteView bytes) { pieces.emplace_back(as_text(bytes)); });
  write_video(Container::mp4, true, output);
  std::size_t fragments = 0;
  for (const std::string& piece : pieces) {
    for (std::size_t at = 0; (at = piece.find("moof", at)) != std::string::npos; ++at) ++fragments;
  }
  EXPECT_GE(fragments, 10U);  // frames are 1.1 s apart
  EXPECT_GE(pieces.size(), fragments);
}

TEST(ContainerTest, WhatTheTargetThrowsComesThroughLibav) {
  for (std::size_t good = 0; good < 6; ++good) {
    std::size_t calls = 0;
    Error error = test::thrown_by([&] {
      Output output([&](ByteView) {
        if (calls++ >= good) throw Error(ErrorCode::io, "no space left on device");
      });
      write_video(Container::mp4, true, output);
    });
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_THAT(error.what(), HasSubstr("no space left"));
    EXPECT_EQ(calls, good + 1);  // the target is not called again
  }
}

TEST(ContainerTest, TimesOfFrames) {
  FrameTimes mp4(Container::mp4, nullptr);
  EXPECT_EQ(mp4.next(from_ns(5'000'000'000)), 0);
  EXPECT_EQ(mp4.next(from_ns(5'100'000'000)), 9000);
  EXPECT_EQ(mp4.next(from_ns(5'100'000'000)), 9018);  // 0.2 ms
  EXPECT_EQ(mp4.next(from_ns(1'000'000'000)), 9036);
  EXPECT_EQ(mp4.moved(), 2U);
  EXPECT_EQ(mp4.next(from_ns(6'000'000'000)), 90'000);
  EXPECT_EQ(mp4.moved(), 2U);
  EXPECT_EQ(mp4.count(), 5U);
  EXPECT_ERROR(unsupported, mp4.next(from_ns(50'000'000'000'000)));
  FrameTimes mkv(Container::mkv, nullptr);
  EXPECT_EQ(mkv.next(from_ns(INT64_MIN)), 0);
  EXPECT_EQ(mkv.next(from_ns(0)), INT64_MAX / 1'000'000 + 1);
}

}  // namespace
}  // namespace kitbag::libav
