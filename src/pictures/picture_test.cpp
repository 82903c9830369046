#include "kitbag/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kitbag/bag_stream.h"
#include "kitbag/base64.h"
#include "kitbag/file.h"
#include "kitbag/transcode.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const char* const kHeader =
    "================================================================================\n"
    "MSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n";
const std::string kImage =
    std::string(
        "std_msgs/Header header\nuint32 height\nuint32 width\nstring encoding\n"
        "uint8 is_bigendian\nuint32 step\nuint8[] data\n") +
    kHeader;
const std::string kCompressedImage =
    std::string("std_msgs/Header header\nstring format\nuint8[] data\n") + kHeader;

/// A payload of ROS 1.
class Payload {
 public:
  Payload() { number<std::uint32_t>(7).number<std::uint64_t>(0).text("camera"); }
  template <class Value>
  Payload& number(Value value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Payload& text(std::string_view text) {
    number(static_cast<std::uint32_t>(text.size()));
    bytes_ += text;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::string image(std::string_view encoding, std::uint32_t width, std::uint32_t height,
                  std::uint32_t step, std::string_view data, bool is_big_endian = false) {
  return Payload()
      .number(height)
      .number(width)
      .text(encoding)
      .number(static_cast<std::uint8_t>(is_big_endian))
      .number(step)
      .text(data)
      .bytes();
}

std::string compressed(std::string_view format, std::string_view data) {
  return Payload().text(format).text(data).bytes();
}

std::string file_of(const Picture& picture, PictureFormat format) {
  return std::string(as_text(encode_picture(picture, format)));
}

class PictureTest : public ::testing::Test {
 protected:
  PictureTest() {
    writer_ = create_bag_stream([this](ByteView more) { bytes_ += as_text(more); },
                                {.format = "mcap"}, session_);
  }

  static ChannelPtr channel(std::string topic, std::string encoding, Schema schema) {
    return std::make_shared<const Channel>(Channel{std::move(topic), std::move(encoding),
                                                   std::make_shared<Schema>(std::move(schema))});
  }
  static ChannelPtr image_channel(std::string topic) {
    return channel(std::move(topic), "ros1", {"sensor_msgs/Image", "ros1msg", kImage});
  }
  static ChannelPtr compressed_channel(std::string topic = "/camera") {
    return channel(std::move(topic), "ros1",
                   {"sensor_msgs/CompressedImage", "ros1msg", kCompressedImage});
  }
  void add(const ChannelPtr& to, std::int64_t seconds, std::string_view payload) {
    Time time = from_ns(seconds * 1'000'000'000);
    ByteView piece = as_bytes(payload);
    writer_->append(to, {time, time, 0}, {&piece, 1});
  }
  BagPtr bag() {
    writer_->close();
    Input input;
    input.path = "test";
    input.file = memory_file(as_bytes(bytes_));
    return session_.open(input);
  }

  /// The picture of one message, with pixels as text.
  std::string picture_of_one(const ChannelPtr& of, std::string_view payload,
                             const PictureOptions& options = {}) {
    Message message{of.get(), 0, 0, from_ns(5), from_ns(5), as_bytes(payload)};
    Picture picture = picture_of(message, options, session_);
    return std::string(as_text(picture.pixels));
  }
  Error refusal(const ChannelPtr& of, std::string_view payload, PictureOptions options = {}) {
    return test::thrown_by([&] { picture_of_one(of, payload, options); });
  }

  Session session_;
  std::string bytes_;
  std::unique_ptr<Writer> writer_;
};

TEST_F(PictureTest, EveryEncodingOfPayloadsGivesTheSame) {
  std::string data = "123abc456def";
  ChannelPtr ros1 = image_channel("/camera");
  add(ros1, 1, image("rgb8", 2, 2, 6, data));
  BagPtr stored = bag();
  for (const char* encoding : {"ros1", "cdr", "json", "protobuf"}) {
    auto source = through(stored->read(), transcode({.encoding = encoding}, session_));
    int messages = 0;
    for (const Message& message : Messages(std::move(source))) {
      EXPECT_EQ(message.channel->encoding, encoding);
      EXPECT_TRUE(has_pictures(*message.channel, session_));
      EXPECT_EQ(as_text(picture_of(message, {}, session_).pixels), data) << encoding;
      ++messages;
    }
    EXPECT_EQ(messages, 1);
  }
}

TEST_F(PictureTest, JsonInAllForms) {
  const std::string fields = R"("width":2,"height":1,"encoding":"mono8","step":2,"data":)";
  Schema none{"foxglove.RawImage", "", ""};
  ChannelPtr without = channel("/c", "json", none);
  EXPECT_TRUE(has_pictures(*without, session_));
  EXPECT_EQ(picture_of_one(without, "{" + fields + "\"YWI=\"}"), "ab");
  EXPECT_EQ(picture_of_one(without, "{" + fields + "[97, 98]}"), "ab");
  EXPECT_EQ(picture_of_one(without, R"({"a":{"width":9,"data":[1,2]},)" + fields + "[97, 98]}"),
            "ab");
  EXPECT_EQ(refusal(without, "{" + fields + "[97, 256]}").code(), ErrorCode::corrupt);
  EXPECT_EQ(refusal(without, "{" + fields + "[97, -1]}").code(), ErrorCode::corrupt);
  EXPECT_EQ(refusal(without, "{" + fields + "\"?\"}").code(), ErrorCode::corrupt);
  EXPECT_EQ(refusal(without, R"({"width":2})").code(), ErrorCode::unsupported);
  EXPECT_EQ(refusal(without, R"({"width":-2,"height":1e30,"encoding":"mono8","data":[]})").code(),
            ErrorCode::limit);
  Schema schema{"foxglove.RawImage", "jsonschema",
                R"({"type":"object","properties":{"width":{"type":"integer"},
                    "height":{"type":"integer"},"encoding":{"type":"string"},
                    "step":{"type":"integer"},
                    "data":{"type":"string","contentEncoding":"base64"}}})"};
  EXPECT_EQ(picture_of_one(channel("/c", "json", schema), "{" + fields + "\"YWI=\"}"), "ab");
}

TEST_F(PictureTest, StepAndByteOrder) {
  ChannelPtr camera = image_channel("/camera");
  EXPECT_EQ(picture_of_one(camera, image("mono8", 1, 2, 3, "a--b")), "ab");
  EXPECT_EQ(picture_of_one(camera, image("mono16", 1, 1, 2, "aa", true)), "a");
  std::string black_and_white("\xff\x00\x00\xff", 4);
  EXPECT_EQ(picture_of_one(camera, image("16UC1", 2, 1, 4, black_and_white, true)),
            std::string("\xff\0", 2));
  EXPECT_EQ(picture_of_one(camera, image("16UC1", 2, 1, 4, black_and_white)),
            std::string("\0\xff", 2));
}

TEST_F(PictureTest, CompressedImages) {
  ChannelPtr camera = compressed_channel();
  Picture red{16, 8, 3, {}};
  for (int i = 0; i < 16 * 8; ++i) {
    for (int value : {200, 30, 30}) red.pixels.push_back(static_cast<std::byte>(value));
  }
  std::string exact(as_text(red.pixels));
  // The format is written in many ways, and what it says of the order of colours is of the past.
  EXPECT_EQ(picture_of_one(
                camera, compressed("bgr8; png compressed bgr8", file_of(red, PictureFormat::png))),
            exact);
  std::string jpeg = picture_of_one(
      camera, compressed("bgr8; jpeg compressed bgr8", file_of(red, PictureFormat::jpeg)));
  ASSERT_EQ(jpeg.size(), exact.size());
  for (std::size_t i = 0; i < jpeg.size(); ++i) {
    EXPECT_NEAR(static_cast<unsigned char>(jpeg[i]), static_cast<unsigned char>(exact[i]), 3);
  }
  Message message{camera.get(), 0, 0, {}, {}, {}};
  std::string payload = compressed("png", file_of(red, PictureFormat::png));
  message.data = as_bytes(payload);
  Picture small = picture_of(message, {.width = 4}, session_);
  EXPECT_EQ(std::pair(small.width, small.height), std::pair(4U, 2U));
}

/// 16 bits: 0, 10, 20, 50.
std::string depth_png() {
  return std::string(
      as_text(decode_base64("iVBORw0KGgoAAAANSUhEUgAAAAQAAAABEAAAAACMx4xSAAAAEUlEQVR4nGNgYGDgYhBhMA"
                            "IAAKkAUXof3xMAAAAASUVORK5CYII=")
                  .value()));
}

TEST_F(PictureTest, DepthImages) {
  ChannelPtr camera = compressed_channel();
  auto bytes = [](std::initializer_list<int> values) {
    std::string text;
    for (int value : values) text += static_cast<char>(value);
    return text;
  };
  EXPECT_EQ(picture_of_one(camera, compressed("16UC1; png compressed ", depth_png())),
            bytes({0, 51, 102, 255}));
  EXPECT_EQ(picture_of_one(camera, compressed("mono16; png compressed ", depth_png())),
            bytes({0, 0, 0, 0}));
  // compressedDepth: an int32 and the floats 100 and 0.
  std::string header = bytes({0, 0, 0, 0, 0, 0, 0xc8, 0x42, 0, 0, 0, 0});
  EXPECT_EQ(picture_of_one(camera, compressed("16UC1; compressedDepth png", header + depth_png())),
            bytes({0, 51, 102, 255}));
  EXPECT_EQ(picture_of_one(camera, compressed("32FC1; compressedDepth png", header + depth_png())),
            bytes({0, 255, 96, 0}));
}

TEST_F(PictureTest, WhatHasNoPicture) {
  ChannelPtr camera = compressed_channel();
  for (const char* format : {"h264", "h265", "vp9", "av1"}) {
    Error error = refusal(camera, compressed(format, "xxxx"));
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_THAT(error.what(), HasSubstr("no picture of its own: video"));
    EXPECT_THAT(error.what(), HasSubstr("/camera at 1970-01-01T00:00:00.000000005Z"));
  }
  Error other = refusal(camera, compressed("webp\x1b[2J", "RIFFxxxxWEBP"));
  EXPECT_EQ(other.code(), ErrorCode::unsupported);
  EXPECT_THAT(other.what(), HasSubstr("webp"));
  EXPECT_THAT(other.what(), Not(HasSubstr("\x1b")));
  EXPECT_EQ(refusal(camera, compressed("jpeg", "")).code(), ErrorCode::corrupt);
  EXPECT_EQ(refusal(camera, compressed("jpeg", "\xff\xd8\xff")).code(), ErrorCode::truncated);
  EXPECT_EQ(refusal(camera, "xx").code(), ErrorCode::truncated);
  EXPECT_EQ(refusal(image_channel("/c"), image("mono8", 2, 2, 2, "abc")).code(),
            ErrorCode::truncated);
  EXPECT_EQ(
      refusal(image_channel("/c"), image("mono8", 2, 2, 2, "abcd"), {.most_pixels = 3}).code(),
      ErrorCode::limit);
  ChannelPtr video = channel("/v", "json", {"foxglove.CompressedVideo", "", ""});
  EXPECT_FALSE(has_pictures(*video, session_));
  EXPECT_THAT(refusal(video, R"({"format":"h264","data":"AAAA"})").what(),
              HasSubstr("no picture of its own: video"));
}

TEST_F(PictureTest, TypesWithPictures) {
  for (const char* type :
       {"sensor_msgs/Image", "sensor_msgs/msg/CompressedImage", "sensor_msgs::msg::dds_::Image_",
        "foxglove.RawImage", "foxglove_msgs/msg/CompressedImage", "my_msgs/Image"}) {
    EXPECT_TRUE(has_pictures(*channel("/c", "json", {type, "", ""}), session_)) << type;
    EXPECT_FALSE(has_pictures(*channel("/c", "cdr", {type, "", ""}), session_)) << type;
    EXPECT_FALSE(has_pictures(*channel("/c", "cbor", {type, "", ""}), session_)) << type;
  }
  for (const char* type : {"", "sensor_msgs/Images", "sensor_msgs/CameraInfo", "Image/Pose"}) {
    EXPECT_FALSE(has_pictures(*channel("/c", "json", {type, "", ""}), session_)) << type;
  }
}

TEST_F(PictureTest, TheLastPictureAtOrBeforeATime) {
  ChannelPtr camera = image_channel("/camera");
  ChannelPtr other = image_channel("/other");
  for (std::int64_t second : {10, 20, 30}) {
    add(camera, second, image("mono8", 1, 1, 1, std::string(1, static_cast<char>(second))));
    add(other, second, image("mono8", 1, 1, 1, "x"));
  }
  BagPtr stored = bag();
  auto at = [&](double seconds) {
    auto ns = static_cast<std::int64_t>(seconds * 1e9);
    TimedPicture found = picture_at(*stored, "/camera", from_ns(ns), {}, session_);
    auto second = std::to_integer<std::int64_t>(found.picture.pixels.at(0));
    EXPECT_EQ(to_ns(found.log_time), second * 1'000'000'000);
    return second;
  };
  EXPECT_EQ(at(0), 10);
  EXPECT_EQ(at(9.5), 10);
  EXPECT_EQ(at(10), 10);
  EXPECT_EQ(at(19.9), 10);
  EXPECT_EQ(at(20), 20);
  EXPECT_EQ(at(1e9), 30);
  EXPECT_EQ(to_ns(picture_at(*stored, "/camera", Time::min(), {}, session_).log_time),
            10'000'000'000);
  EXPECT_EQ(to_ns(picture_at(*stored, "/camera", Time::max(), {}, session_).log_time),
            30'000'000'000);
}

TEST_F(PictureTest, TopicsWithoutPictures) {
  add(image_channel("/camera/front"), 1, image("mono8", 1, 1, 1, "x"));
  add(channel("/odd", "json", {"foxglove.CompressedVideo", "", ""}), 1, "{}");
  add(channel("/pose", "json", {"foxglove.Pose", "", ""}), 1, "{}");
  add(channel("/undefined", "cdr", {"sensor_msgs/msg/Image", "", ""}), 1, "xxxx");
  BagPtr stored = bag();
  auto refused = [&](const char* topic) {
    return test::thrown_by([&] { picture_at(*stored, topic, {}, {}, session_); });
  };
  EXPECT_EQ(refused("/camera/frnt").code(), ErrorCode::not_found);
  EXPECT_THAT(refused("/camera/frnt").what(), HasSubstr("similar topics with pictures: "
                                                        "/camera/front"));
  EXPECT_THAT(refused("zzz").what(), HasSubstr("topics with pictures: /camera/front"));
  EXPECT_EQ(refused("/camera/*").code(), ErrorCode::not_found);
  EXPECT_EQ(refused("/pose").code(), ErrorCode::invalid);
  EXPECT_THAT(refused("/pose").what(), HasSubstr("of the type foxglove.Pose, have no pictures"));
  EXPECT_THAT(refused("/odd").what(), HasSubstr("video"));
  EXPECT_THAT(refused("/undefined").what(),
              HasSubstr("no definition of sensor_msgs/msg/Image found"));
}

TEST_F(PictureTest, WhatCannotBeEncoded) {
  for (PictureFormat format : {PictureFormat::jpeg, PictureFormat::png}) {
    EXPECT_ERROR(invalid, encode_picture({}, format));
    EXPECT_ERROR(invalid, encode_picture({2, 2, 1, std::vector<std::byte>(3)}, format));
    EXPECT_ERROR(invalid, encode_picture({2, 2, 1, std::vector<std::byte>(5)}, format));
    EXPECT_ERROR(invalid, encode_picture({1, 1, 2, std::vector<std::byte>(2)}, format));
    EXPECT_ERROR(invalid, encode_picture({1, 1, 0, {}}, format));
    EXPECT_ERROR(invalid, encode_picture({1, 1, 3, std::vector<std::byte>(5)}, format));
  }
}

}  // namespace
}  // namespace kitbag
