#include "kitbag/encode_video.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/base64.h"
#include "kitbag/error.h"
#include "kitbag/open.h"
#include "kitbag/registry.h"
#include "tests/support/thrown_by.h"

// What is held, dropped and given, with an encoder that makes a letter of each picture when it is
// allowed to.

namespace kitbag {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Lets the encoders work, or not.
class Gate {
 public:
  void open() {
    std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
};

class LetterEncoder final : public VideoEncoder {
 public:
  explicit LetterEncoder(Gate& gate) : gate_(gate) {}
  std::vector<std::byte> encode(const Picture& picture, Time) override {
    gate_.pass();
    if (picture.pixels[0] == std::byte{'!'}) throw Error(ErrorCode::unsupported, "no such letter");
    return {picture.pixels[0], std::byte{count_++}};
  }

 private:
  Gate& gate_;
  unsigned char count_ = 0;
};

/// Words such as "/a=x": a picture of the pixel 'x' on "/a", or a message of its own on "/n".
class WordSource final : public Source {
 public:
  explicit WordSource(std::vector<std::string> words, const std::vector<std::string>& topics)
      : words_(std::move(words)) {
    auto channels = std::make_shared<Channels>();
    for (const std::string& topic : topics) {
      Schema schema{topic == "/n" ? "test/Number" : "test/Image", "", ""};
      auto channel = std::make_shared<Channel>(
          Channel{topic, "json", std::make_shared<const Schema>(std::move(schema))});
      channel->slot = static_cast<std::uint32_t>(channels->size());
      channels->push_back(std::move(channel));
    }
    channels_ = std::move(channels);
  }

  ChannelsPtr channels() const override { return channels_; }
  bool read(Batch& batch, const Wait&) override {
    if (next_ == words_.size()) return false;
    const std::string& word = words_[next_];
    std::size_t sign = word.find('=');
    auto payload = std::make_shared<std::string>("{}");
    if (word.at(1) != 'n') {
      *payload = R"({"width":1,"height":1,"encoding":"mono8","data":")" +
                 encode_base64(as_bytes(word.substr(sign + 1))) + "\"}";
    }
    for (const ChannelPtr& channel : *channels_) {
      if (channel->topic != word.substr(0, sign)) continue;
      Time time = from_ns(static_cast<std::int64_t>(next_));
      batch.add({channel.get(), 0, 0, time, time, as_bytes(*payload)});
    }
    batch.keep(payload, payload->size());
    batch.channels = channels_;
    ++next_;
    return true;
  }

  std::size_t given() const { return next_; }

 private:
  std::vector<std::string> words_;
  ChannelsPtr channels_;
  std::size_t next_ = 0;
};

class EncodeVideoTest : public ::testing::Test {
 protected:
  EncodeVideoTest() : session_(registry()) {
    options_.topics = {{.topics = "/[ab]", .format = "h264", .encoding = {}}};
    options_.threads = 2;
    options_.losses = &losses_;
  }

  Registry registry() {
    Registry registry = standard_registry();
    registry.video_codecs.push_back(
        {"h264", nullptr, [this](const VideoEncoding& encoding) -> std::unique_ptr<VideoEncoder> {
           if (encoding.preset == "none") throw Error(ErrorCode::invalid, "no such preset");
           return std::make_unique<LetterEncoder>(gate_);
         }});
    return registry;
  }

  std::unique_ptr<Source> encoded(std::vector<std::string> words,
                                  const std::vector<std::string>& topics = {"/a", "/b", "/n"}) {
    auto source = std::make_unique<WordSource>(std::move(words), topics);
    words_ = source.get();
    return encode_video(std::move(source), options_, report_, session_);
  }

  /// What comes, as "/a@3=x0": the third message, the pixel x as the first frame.
  static std::vector<std::string> rest_of(Source& source) {
    std::vector<std::string> found;
    Batch batch;
    while (source.read(batch, {})) {
      for (const Message& message : batch.messages()) {
        std::string text = message.channel->topic + "@" + std::to_string(to_ns(message.log_time));
        std::string payload(as_text(message.data));
        std::size_t at = payload.find("\"data\":\"");
        if (at != std::string::npos) {
          EXPECT_EQ(message.channel->type(), "foxglove.CompressedVideo");
          at += 8;
          auto data = decode_base64(payload.substr(at, payload.find('"', at) - at)).value();
          text += "=" + std::string(1, static_cast<char>(data.at(0))) +
                  std::to_string(static_cast<int>(data.at(1)));
        }
        EXPECT_EQ(batch.channels->at(message.channel->slot).get(), message.channel);
        found.push_back(std::move(text));
      }
      batch.clear();
    }
    return found;
  }

  Gate gate_;
  Session session_;
  EncodeVideoOptions options_;
  EncodeVideoReport report_;
  TranscodeReport losses_;
  WordSource* words_ = nullptr;
};

TEST_F(EncodeVideoTest, KeepsTheOrder) {
  gate_.open();
  auto source = encoded({"/a=p", "/n", "/b=q", "/a=r", "/n", "/b=s"});
  EXPECT_THAT(rest_of(*source),
              ElementsAre("/a@0=p0", "/n@1", "/b@2=q0", "/a@3=r1", "/n@4", "/b@5=s1"));
  EXPECT_EQ(report_.frames["/a"], 2U);
  EXPECT_EQ(report_.held, 0U);
  EXPECT_THAT(report_.remarks, ElementsAre(HasSubstr("/a: the pictures have 1 x 1 pixels"),
                                           HasSubstr("/b: the pictures have 1 x 1 pixels")));
}

TEST_F(EncodeVideoTest, DropsWhatTheEncoderHasNoTimeFor) {
  options_.may_drop = true;
  options_.most_waiting = 2;
  auto source = encoded({"/a=p", "/a=q", "/n", "/a=r", "/a=s", "/b=t", "/n"});
  Batch batch;
  // All is read while nothing can be given.
  for (int i = 0; i < 7; ++i) {
    ASSERT_TRUE(source->read(batch, {{}, SteadyTime::min()}));
    ASSERT_TRUE(batch.empty());
  }
  EXPECT_EQ(words_->given(), 7U);
  EXPECT_EQ(report_.dropped, (std::map<std::string, std::uint64_t>{{"/a", 2}}));
  EXPECT_EQ(report_.held, 7U);
  gate_.open();
  EXPECT_THAT(rest_of(*source), ElementsAre("/a@0=p0", "/a@1=q1", "/n@2", "/b@5=t0", "/n@6"));
}

TEST_F(EncodeVideoTest, HoldsNoMoreThanItMay) {
  options_.held_bytes = 1;
  auto source = encoded({"/a=p", "/a=q", "/n"});
  Batch batch;
  auto soon = std::chrono::steady_clock::now();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(source->read(batch, {{}, soon}));
    ASSERT_TRUE(batch.empty());
  }
  EXPECT_EQ(words_->given(), 1U);
  gate_.open();
  EXPECT_THAT(rest_of(*source), ElementsAre("/a@0=p0", "/a@1=q1", "/n@2"));
  EXPECT_EQ(report_.dropped.size(), 0U);
}

TEST_F(EncodeVideoTest, CanBeLeftWhileItWorks) {
  auto source = encoded({"/a=p", "/b=q"});
  Batch batch;
  source->read(batch, {{}, SteadyTime::min()});
  source->read(batch, {{}, SteadyTime::min()});
  gate_.open();
  source.reset();
}

TEST_F(EncodeVideoTest, WhatCannotBeEncoded) {
  gate_.open();
  auto words = [] { return std::vector<std::string>{"/a=p", "/a=!", "/n", "/a=q", "/a=", "/a=r"}; };
  EXPECT_THAT(test::thrown_by([&] { rest_of(*encoded(words())); }).what(),
              HasSubstr("/a at 1970-01-01T00:00:00.000000001Z: no such letter"));
  options_.on_error = OnError::skip;
  // Another stream begins behind it.
  EXPECT_THAT(rest_of(*encoded(words())), ElementsAre("/a@0=p0", "/n@2", "/a@3=q0", "/a@5=r0"));
  EXPECT_EQ(losses_.topics["/a"].skipped, 2U);
  EXPECT_THAT(losses_.topics["/a"].first_error, HasSubstr("no such letter"));
}

TEST_F(EncodeVideoTest, TopicsWithoutMessagesStayDeclared) {
  gate_.open();
  auto source = encoded({"/n"});
  EXPECT_EQ(source->channels()->size(), 1U);
  EXPECT_THAT(rest_of(*source), ElementsAre("/n@0"));
  ASSERT_EQ(source->channels()->size(), 3U);
  EXPECT_EQ(source->channels()->at(1)->type(), "test/Image");
  EXPECT_THAT(report_.remarks, ElementsAre(HasSubstr("no messages with pictures on /[ab]")));
}

TEST_F(EncodeVideoTest, SettingsAreTriedAtOnce) {
  options_.topics[0].encoding.preset = "none";
  EXPECT_ERROR(invalid, encoded({}));
  options_.topics[0].format = "vp9";
  Error error = test::thrown_by([&] { encoded({}); });
  EXPECT_TRUE(error.code() == ErrorCode::unsupported || error.code() == ErrorCode::not_found);
}

TEST_F(EncodeVideoTest, Settings) {
  EncodedTopics parsed =
      parse_encoded_topics("/a/*=hevc:crf=30,bitrate=2M,preset=fast,key=500ms,gop=7");
  EXPECT_EQ(parsed.topics, "/a/*");
  EXPECT_EQ(parsed.format, "h265");
  EXPECT_EQ(parsed.encoding, (VideoEncoding{.crf = 30,
                                            .bits_per_second = 2'000'000,
                                            .preset = "fast",
                                            .key_interval = std::chrono::milliseconds(500),
                                            .frames_a_key = 7}));
  for (const char* wrong : {"", "=h264", "/a", "/a=", "/a=h264:crf", "/a=h264:crf=-1",
                            "/a=h264:gop=0", "/a=h264:key=", "/a=h264:x=1"}) {
    EXPECT_ERROR(invalid, parse_encoded_topics(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace kitbag
