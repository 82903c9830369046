#include "kitbag/video.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kitbag/bag_stream.h"
#include "kitbag/base64.h"
#include "kitbag/file.h"
#include "kitbag/open.h"
#include "tests/support/thrown_by.h"

// Which messages reach the decoder, with one that only notes them. A frame is a letter: a capital
// is a key frame, "!" is damaged, and "-" is given with the next one.

namespace kitbag {
namespace {

using ::testing::HasSubstr;

class LetterFrame final : public VideoFrame {
 public:
  LetterFrame(Time time, std::byte letter) : time_(time), letter_(letter) {}
  Time time() const override { return time_; }
  Picture picture() const override { return {1, 1, 1, {letter_}}; }

 private:
  Time time_;
  std::byte letter_;
};

class LetterDecoder final : public VideoDecoder {
 public:
  explicit LetterDecoder(std::string& decoded) : decoded_(decoded) { decoded_ += '|'; }

  void decode(ByteView data, Time time, const OnVideoFrame& on_frame) override {
    auto letter = static_cast<char>(data.back());
    if (letter == '!') throw Error(ErrorCode::corrupt, "the letter is damaged");
    decoded_ += letter;
    flush_held(on_frame);
    held_ = std::make_unique<LetterFrame>(time, data.back());
    if (letter != '-') flush_held(on_frame);
  }
  void flush(const OnVideoFrame& on_frame) override {
    decoded_ += '.';
    flush_held(on_frame);
  }

 private:
  void flush_held(const OnVideoFrame& on_frame) {
    if (held_) on_frame(std::move(held_));
  }

  std::string& decoded_;
  std::unique_ptr<LetterFrame> held_;
};

class VideoTest : public ::testing::Test {
 protected:
  VideoTest() : session_(registry()) {
    writer_ = create_bag_stream([this](ByteView more) { bytes_ += as_text(more); },
                                {.format = "mcap"}, session_);
  }

  Registry registry() {
    Registry registry = standard_registry();
    registry.video_codecs.push_back(
        {"h264", [this](const VideoLimits&) { return std::make_unique<LetterDecoder>(decoded_); }});
    return registry;
  }
  static ChannelPtr channel(std::string topic, const char* type = "foxglove.CompressedVideo") {
    Schema schema{type, "", ""};
    return std::make_shared<const Channel>(
        Channel{std::move(topic), "json", std::make_shared<Schema>(std::move(schema))});
  }
  void add(const ChannelPtr& to, double seconds, char letter, std::string_view format = "h264") {
    using std::string_literals::operator""s;
    bool is_key = letter >= 'A' && letter <= 'Z';
    std::string data = (is_key ? "\0\0\1\x67\0\0\1\x65"s : "\0\0\1\x41"s) + letter;
    std::string payload = R"({"format":")" + std::string(format) + R"(","data":")" +
                          encode_base64(as_bytes(data)) + "\"}";
    ByteView piece = as_bytes(payload);
    auto time = from_ns(static_cast<std::int64_t>(seconds * 1e9));
    writer_->append(to, {time, time, 0}, {&piece, 1});
  }
  /// One frame a tenth of a second.
  void add(const std::string& letters) {
    ChannelPtr video = channel("/video");
    for (std::size_t i = 0; i < letters.size(); ++i) {
      add(video, 10 + static_cast<double>(i) / 10, letters[i]);
    }
  }
  const Bag& bag() {
    if (!bag_) {
      writer_->close();
      Input input;
      input.path = "test";
      input.file = memory_file(as_bytes(bytes_));
      bag_ = session_.open(input);
    }
    return *bag_;
  }

  /// The letter that is shown at a time, and those that were decoded for it.
  std::string at(double seconds) {
    decoded_.clear();
    auto time = from_ns(static_cast<std::int64_t>(seconds * 1e9));
    TimedPicture found = reader_.picture_at(bag(), time, {}, {});
    return static_cast<char>(found.picture.pixels.at(0)) + (" " + decoded_);
  }
  Error refusal(double seconds) {
    return test::thrown_by([&] { at(seconds); });
  }

  std::string decoded_;  ///< "|": a decoder was made, ".": flushed
  Session session_;
  VideoReader reader_{"/video", session_};
  std::string bytes_;
  std::unique_ptr<Writer> writer_;
  BagPtr bag_;
};

TEST_F(VideoTest, FromTheLastKeyFrameOn) {
  add("AbcdEfgh");
  EXPECT_EQ(at(10.35), "d |Abcd");
  EXPECT_EQ(at(10.35), "d ");     // it is still there
  EXPECT_EQ(at(10.55), "f Ef");   // on, since it is near
  EXPECT_EQ(at(10.2), "c |Abc");  // back
  EXPECT_EQ(at(1e9), "h dEfgh");  // the last frame is near
  EXPECT_EQ(at(0), "A |A");       // before the first one
  EXPECT_EQ(at(10.1), "b b");
}

TEST_F(VideoTest, FarOnWithAKeyFrameInBetween) {
  add("AbcdefghijklMnop");
  EXPECT_EQ(at(10), "A |A");
  EXPECT_EQ(at(11.4), "o |Mno");
}

TEST_F(VideoTest, FarOnWithoutAKeyFrameInBetween) {
  add("Abcdefghijklmnopqrst");
  EXPECT_EQ(at(10), "A |A");
  EXPECT_EQ(at(11.9), "t bcdefghijklmnopqrst");
}

TEST_F(VideoTest, PictureAtGivesTheSame) {
  add("AbcdEfgh");
  TimedPicture found = picture_at(bag(), "/video", from_ns(10'250'000'000), {.width = 1}, session_);
  EXPECT_EQ(as_text(found.picture.pixels), "c");
  EXPECT_EQ(to_ns(found.log_time), 10'200'000'000);
}

TEST_F(VideoTest, WithoutAKeyFrame) {
  add("abcDef");
  EXPECT_EQ(at(0), "D |D");  // the first one that can be shown
  Error error = refusal(10.15);
  EXPECT_EQ(error.code(), ErrorCode::not_found);
  EXPECT_THAT(error.what(), HasSubstr("no key frame at or before 1970-01-01T00:00:10.1"));
  EXPECT_EQ(at(10.5), "f |Def");
}

TEST_F(VideoTest, WithoutAnyKeyFrame) {
  add("abc");
  EXPECT_THAT(refusal(0).what(), HasSubstr("/video has no key frame"));
}

TEST_F(VideoTest, FramesThatAreHeldBack) {
  add("Ab-c-");
  EXPECT_EQ(at(10.25), "- |Ab-.");
  EXPECT_EQ(at(10.35), "c |Ab-c");
  EXPECT_EQ(at(10.45), "- -.");
}

TEST_F(VideoTest, DamagedFrames) {
  add("Ab!dEf");
  Error error = refusal(10.25);
  EXPECT_EQ(error.code(), ErrorCode::corrupt);
  EXPECT_THAT(error.what(), HasSubstr("/video at 1970-01-01T00:00:10.2"));
  EXPECT_EQ(refusal(10.35).code(), ErrorCode::corrupt);  // it depends on the damaged one
  EXPECT_EQ(at(10.45), "E |E");
  EXPECT_EQ(at(10.15), "b |Ab");
}

TEST_F(VideoTest, MessagesAtTheSameTime) {
  ChannelPtr video = channel("/video");
  for (char letter : std::string("Abc")) add(video, 10, letter);
  for (char letter : std::string("defG")) add(video, 11, letter);
  EXPECT_EQ(at(10), "c |Abc");
  EXPECT_EQ(at(11), "G defG");
  EXPECT_EQ(at(10.5), "c |Abc");
}

TEST_F(VideoTest, SeveralChannelsOfATopic) {
  ChannelPtr one = channel("/video");
  ChannelPtr other = channel("/video", "other.CompressedVideo");
  add(one, 10, 'A');
  add(other, 10.1, 'X');
  add(one, 10.2, 'b');
  add(other, 10.3, 'y');
  add(one, 10.4, 'c');
  EXPECT_EQ(at(10.2), "b |Ab");
  EXPECT_EQ(at(10.3), "y |Xy");
  EXPECT_EQ(at(10.4), "c |Abc");
}

TEST_F(VideoTest, Limits) {
  add("Abcdef");
  VideoLimits few;
  few.most_messages = 3;
  reader_ = VideoReader("/video", session_, few);
  EXPECT_EQ(at(10.2), "c |Abc");
  EXPECT_EQ(at(10.4), "e de");
  Error error = test::thrown_by(
      [&] { VideoReader("/video", session_, few).picture_at(bag(), from_ns(10'500'000'000), {}); });
  EXPECT_EQ(error.code(), ErrorCode::limit);
  EXPECT_THAT(error.what(), HasSubstr("more than 3 messages"));
  VideoLimits small;
  small.most_bytes = 20;
  reader_ = VideoReader("/video", session_, small);
  EXPECT_EQ(refusal(10.2).code(), ErrorCode::limit);
}

TEST_F(VideoTest, WhatIsNoVideo) {
  add(channel("/video"), 10, 'A', "theora");
  add(channel("/vp9"), 10, 'A', "vp9");
  add(channel("/image", "foxglove.CompressedImage"), 10, 'A', "jpeg");
  Error error = refusal(10);
  EXPECT_EQ(error.code(), ErrorCode::unsupported);
  EXPECT_THAT(error.what(), HasSubstr("\"theora\" is not known; known formats: h264"));
  auto refused = [&](const char* topic) {
    return test::thrown_by([&] { VideoReader(topic, session_).picture_at(bag(), {}, {}); });
  };
  EXPECT_THAT(refused("/image").what(), HasSubstr("are pictures, not a video"));
  EXPECT_EQ(refused("/none").code(), ErrorCode::not_found);
}

TEST_F(VideoTest, StopsWhenItIsAskedTo) {
  add("Abc");
  std::stop_source stop;
  stop.request_stop();
  Error error = test::thrown_by([&] { reader_.picture_at(bag(), {}, {}, {stop.get_token()}); });
  EXPECT_EQ(error.code(), ErrorCode::cancelled);
}

/// The letters of the frames that a query from then on needs.
class FramesBeforeTest : public VideoTest {
 protected:
  std::string before(double seconds, const VideoLimits& limits = {}) {
    bag();
    Query query{.begin = from_ns(static_cast<std::int64_t>(seconds * 1e9))};
    return letters_of(frames_before({bag_}, query, bag_->summary().channels, session_, limits),
                      query.begin);
  }
  /// Likewise, of those that the last message before then needs.
  std::string of_state(double seconds, const VideoLimits& limits = {}) {
    Time begin = from_ns(static_cast<std::int64_t>(seconds * 1e9));
    Batch state = bag().last_before(begin);
    return letters_of(
        frames_of_state(bag_, state, begin, bag_->summary().channels, session_, limits), begin);
  }
  std::string letters_of(const FramesBefore& found, Time begin) {
    missing_ = found.missing;
    std::string letters;
    for (const Message& message : found.frames.messages()) {
      EXPECT_EQ(message.flags, kState);
      EXPECT_LT(message.log_time, begin);
      EXPECT_EQ(message.channel, bag_->summary().channels->at(message.channel->slot).get());
      auto data = encoded_frame_of(message, session_).data;
      letters += static_cast<char>(data.back());
    }
    return letters;
  }
  std::string why() { return missing_.empty() ? "" : missing_.begin()->second; }

  std::map<std::string, std::string> missing_;
};

TEST_F(FramesBeforeTest, ThoseThatTheFirstOneNeeds) {
  add("AbcdEfghIj");
  EXPECT_EQ(before(10.65), "Efg");
  EXPECT_EQ(before(10.5), "E");
  EXPECT_EQ(before(10.4), "");   // which is a key frame
  EXPECT_EQ(before(10.35), "");  // so is the first one behind
  EXPECT_EQ(before(10.05), "A");
  EXPECT_EQ(before(9), "");
  EXPECT_EQ(before(10.95), "");  // nothing follows
  EXPECT_EQ(why(), "");
}

TEST_F(FramesBeforeTest, Limits) {
  add("Abcdefgh");
  EXPECT_EQ(before(10.55, {.most_messages = 6}), "Abcdef");
  EXPECT_EQ(before(10.55, {.most_messages = 5}), "");
  EXPECT_THAT(why(), HasSubstr("is more than 5 messages or 256.0 MiB back"));
  EXPECT_EQ(before(10.55, {.most_bytes = 50}), "");
  EXPECT_THAT(why(), HasSubstr("or 50 B back"));
}

TEST_F(FramesBeforeTest, WithoutAKeyFrame) {
  add("bcdEf");
  EXPECT_EQ(before(10.15), "");
  EXPECT_THAT(why(), HasSubstr("has no key frame before 1970-01-01T00:00:10.150000000Z"));
}

TEST_F(FramesBeforeTest, ThoseThatTheStateNeeds) {
  add("AbcdEfghIj");
  ChannelPtr picture = channel("/picture", "sensor_msgs/CompressedImage");
  for (double seconds : {10., 11., 12.}) add(picture, seconds, 'x', "jpeg");
  EXPECT_EQ(of_state(10.65), "Efg");
  EXPECT_EQ(of_state(10.45), "");      // a key frame needs no other
  EXPECT_EQ(of_state(10.35), "Abcd");  // whatever follows
  EXPECT_EQ(of_state(99), "Ij");       // and if nothing follows
  EXPECT_EQ(of_state(9), "");
  EXPECT_EQ(of_state(10.35, {.most_messages = 3}), "");
  EXPECT_THAT(why(), HasSubstr("is more than 3 messages"));
}

TEST_F(FramesBeforeTest, OfAStateWithoutAKeyFrame) {
  add("bcdEf");
  EXPECT_EQ(of_state(10.25), "bcd");  // the file before may have it
  EXPECT_EQ(why(), "");
}

TEST_F(FramesBeforeTest, OfATopicInSeveralBagsAndFormats) {
  ChannelPtr image = channel("/image", "sensor_msgs/CompressedImage");
  add(image, 10, 'A');
  add(image, 11, 'b', "H264; more");
  add(image, 12, 'c');
  ChannelPtr picture = channel("/picture", "sensor_msgs/CompressedImage");
  for (double seconds : {10., 11., 12.}) add(picture, seconds, 'x', "jpeg");
  EXPECT_EQ(before(11.5), "Ab");
  EXPECT_EQ(why(), "");
  EXPECT_TRUE(has_video(bag(), "/image", session_));
  EXPECT_FALSE(has_video(bag(), "/picture", session_));
  EXPECT_FALSE(has_video(bag(), "/nothing", session_));
  EXPECT_EQ(picture_at(bag(), "/image", from_ns(11'000'000'000), {}, session_).picture.pixels.at(0),
            std::byte{'b'});
  KeyFrameReport report;
  Query query{.select = {.topics = {"/image"}}, .begin = from_ns(11'500'000'000)};
  auto source = read_from_key_frames({bag_}, query, &report, session_);
  std::string letters;
  for (const Message& message : Messages(std::move(source))) {
    letters += static_cast<char>(encoded_frame_of(message, session_).data.back());
  }
  EXPECT_EQ(letters, "Abc");
  EXPECT_EQ(report.frames, 2U);
  for (const Message& message : bag().messages({.topics = {"/picture"}})) {
    EXPECT_FALSE(video_frame_of(message, session_).has_value());
    EXPECT_ERROR(unsupported, encoded_frame_of(message, session_));
  }
}

}  // namespace
}  // namespace kitbag
