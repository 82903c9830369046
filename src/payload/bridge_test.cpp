#include "payload/bridge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kitbag/session.h"
#include "kitbag/stream.h"
#include "kitbag/transcode.h"
#include "tests/support/thrown_by.h"
#include "tests/support/values.h"

namespace kitbag {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

constexpr const char* kHeader =
    "================================================================================\n"
    "MSG: std_msgs/Header\n# counts\nuint32 seq\ntime stamp\nstring frame_id\n";
const std::string kLog =
    "byte DEBUG=1 # debug level\nbyte INFO=2\nbyte WARN=4\nbyte ERROR=8\nbyte FATAL=16\n"
    "Header header\nbyte level\nstring name\nstring msg\nstring file\nstring function\n"
    "uint32 line\nstring[] topics\n"s +
    kHeader;

/// Header (seq 7, 3 s 5 ns, "map"), level, "node", "text", "f.c", "run", line 9, no topics.
std::string log_payload(char level, const std::string& frame = "\3\0\0\0map"s) {
  return "\7\0\0\0\3\0\0\0\5\0\0\0"s + frame + level + "\4\0\0\0node"s + "\4\0\0\0text"s +
         "\3\0\0\0f.c"s + "\3\0\0\0run"s + "\11\0\0\0"s + "\0\0\0\0"s;
}

/// One message on one channel.
class One final : public Source {
 public:
  One(ChannelPtr channel, std::string payload, std::uint32_t sequence)
      : channels_(std::make_shared<const Channels>(Channels{std::move(channel)})),
        payload_(std::move(payload)),
        sequence_(sequence) {}

  ChannelsPtr channels() const override { return channels_; }
  bool read(Batch& batch, const Wait&) override {
    if (std::exchange(is_read_, true)) return false;
    batch.channels = channels_;
    batch.add({channels_->front().get(), sequence_, 0, from_ns(1), from_ns(1), as_bytes(payload_)});
    return true;
  }

 private:
  ChannelsPtr channels_;
  std::string payload_;
  std::uint32_t sequence_;
  bool is_read_ = false;
};

struct Brought {
  ChannelPtr channel;
  std::string payload;
  std::uint32_t sequence = 0;
  std::string left_out;
  std::string new_type;
  std::map<std::string, bool> rules;
};

Brought bring(ChannelPtr channel, const std::string& payload, const std::string& encoding,
              std::uint32_t sequence = 0, const Migration& migration = {}) {
  Session session;
  TranscodeReport report;
  TranscodeOptions options;
  options.encoding = encoding;
  options.report = &report;
  options.migration = migration;
  std::string topic = channel->topic;
  auto source = through(std::make_unique<One>(std::move(channel), payload, sequence),
                        transcode(options, session));
  Batch batch;
  source->read(batch, {});
  const Message& message = batch.messages().front();
  return {std::make_shared<Channel>(*message.channel),
          std::string(as_text(message.data)),
          message.sequence,
          report.topics[topic].left_out,
          report.topics[topic].new_type,
          report.rules};
}

ChannelPtr channel_of(const std::string& type, const std::string& text,
                      const std::string& encoding = "ros1") {
  auto channel = std::make_shared<Channel>();
  channel->topic = "/t";
  channel->encoding = encoding;
  channel->schema = std::make_shared<const Schema>(
      Schema{type, encoding == "ros1" ? "ros1msg" : "ros2msg", text});
  return channel;
}

TEST(Bridge, TheLogOfRos1BecomesThatOfRos2AndBack) {
  for (auto [ros1, ros2] : {std::pair(1, 10), {2, 20}, {4, 30}, {8, 40}, {16, 50}, {3, 3}}) {
    std::string payload = log_payload(static_cast<char>(ros1), "\0\0\0\0"s);
    Brought there = bring(channel_of("rosgraph_msgs/Log", kLog), payload, "cdr");
    EXPECT_EQ(there.channel->type(), "rcl_interfaces/msg/Log");
    EXPECT_THAT(there.channel->schema->text, HasSubstr("ERROR=40"));
    EXPECT_THAT(there.payload, StartsWith("\0\1\0\0\3\0\0\0\5\0\0\0"s + static_cast<char>(ros2)));
    EXPECT_EQ(there.channel->metadata.at("topic_type_hash"),
              "RIHS01_e28ce254ca8abc06abf92773b74602cdbf116ed34fbaf294fb9f81da9f318eac");
    EXPECT_EQ(there.sequence, 7U);
    EXPECT_THAT(there.left_out, HasSubstr("frame_id, topics"));
    EXPECT_EQ(there.new_type, "rcl_interfaces/msg/Log");
    Brought back = bring(there.channel, there.payload, "ros1", there.sequence);
    EXPECT_EQ(back.channel->type(), "rosgraph_msgs/Log");
    EXPECT_EQ(back.channel->metadata.at("md5sum"), "acffd30cd6b6de30f120938c17c593fb");
    EXPECT_EQ(back.payload, payload);
    EXPECT_EQ(back.left_out, "");
  }
}

TEST(Bridge, AnotherLogOfThatNameIsLeftAsItIs) {
  std::string text = "byte level\nstring msg\n";
  Brought there = bring(channel_of("rosgraph_msgs/Log", text), "\2\0\0\0\0"s, "cdr");
  EXPECT_EQ(there.channel->type(), "rosgraph_msgs/msg/Log");
}

TEST(Bridge, TimesAreThoseOfBuiltinInterfaces) {
  for (auto [ros1, word] :
       {std::pair("std_msgs/Time", "time"), {"std_msgs/Duration", "duration"}}) {
    std::string payload = "\3\0\0\0\5\0\0\0"s;
    Brought there = bring(channel_of(ros1, word + " data\n"s), payload, "cdr");
    EXPECT_THAT(there.channel->type(), StartsWith("builtin_interfaces/msg/"));
    EXPECT_EQ(there.payload, "\0\1\0\0"s + payload);
    Brought back = bring(there.channel, there.payload, "ros1");
    EXPECT_EQ(back.channel->type(), ros1);
    EXPECT_EQ(back.payload, payload);
  }
}

TEST(Bridge, ATypeWithAnotherNameHasItThereAndItsOwnBack) {
  std::string text =
      "geometry_msgs/TransformStamped[] transforms\n================\n"
      "MSG: geometry_msgs/TransformStamped\nHeader header\nstring child_frame_id\n"s +
      kHeader;
  Brought there = bring(channel_of("tf/tfMessage", text), "\0\0\0\0"s, "cdr");
  EXPECT_EQ(there.channel->type(), "tf2_msgs/msg/TFMessage");
  Brought back = bring(there.channel, there.payload, "ros1");
  EXPECT_EQ(back.channel->type(), "tf/tfMessage");
  EXPECT_FALSE(back.channel->metadata.contains("original_type"));
  auto native = channel_of("tf2_msgs/msg/TFMessage", there.channel->schema->text, "cdr");
  EXPECT_EQ(bring(native, there.payload, "ros1").channel->type(), "tf2_msgs/TFMessage");
}

TEST(Bridge, RulesAddOtherNamesOfTypesAndFields) {
  Migration rules = parse_migration(
      "types: {old_msgs/Scan: new_msgs/Sweep, tf/tfMessage: mine/Tf}\n"
      "fields: {new_msgs/Sweep: {ranges: distances}}\n");
  Brought there =
      bring(channel_of("old_msgs/Scan", "int8[] ranges\n"), "\1\0\0\0\5"s, "cdr", 0, rules);
  EXPECT_EQ(there.channel->type(), "new_msgs/msg/Sweep");
  EXPECT_THAT(there.channel->schema->text, HasSubstr("int8[] distances"));
  EXPECT_EQ(there.payload, "\0\1\0\0\1\0\0\0\5"s);
  Brought tf = bring(channel_of("tf/tfMessage", "int8 a\n"), "\1"s, "cdr", 0, rules);
  EXPECT_EQ(tf.channel->type(), "mine/msg/Tf");
  EXPECT_THAT(tf.rules, ElementsAre(Pair("new_msgs/Sweep", false), Pair("old_msgs/Scan", false),
                                    Pair("tf/tfMessage", true)));
}

TEST(Bridge, RulesRenameFieldsOfATypeThatKeepsItsName) {
  for (const char* name : {"test_msgs/Scan", "test_msgs/msg/Scan"}) {
    Migration rules;
    rules.fields[name]["ranges"] = "distances";
    Brought there =
        bring(channel_of("test_msgs/Scan", "int8[] ranges\n"), "\1\0\0\0\5"s, "cdr", 0, rules);
    EXPECT_EQ(there.channel->type(), "test_msgs/msg/Scan");
    EXPECT_THAT(there.channel->schema->text, HasSubstr("int8[] distances"));
    EXPECT_EQ(there.payload, "\0\1\0\0\1\0\0\0\5"s);
    EXPECT_THAT(there.rules, ElementsAre(Pair(name, true)));
    Brought back = bring(there.channel, there.payload, "ros1", 0,
                         parse_migration("fields: {test_msgs/Scan: {distances: ranges}}"));
    EXPECT_EQ(back.channel->schema->text, "int8[] ranges\n");
    EXPECT_EQ(back.payload, "\1\0\0\0\5"s);
  }
}

TEST(Bridge, RulesComeBeforeTheNamesThatAreBuiltIn) {
  Migration rules = parse_migration("types: {rosgraph_msgs/Log: my_msgs/Log}");
  Brought there =
      bring(channel_of("rosgraph_msgs/Log", kLog), log_payload(1, "\0\0\0\0"s), "cdr", 0, rules);
  EXPECT_EQ(there.channel->type(), "my_msgs/msg/Log");
  EXPECT_EQ(there.left_out, "");
  EXPECT_THAT(there.rules, ElementsAre(Pair("rosgraph_msgs/Log", true)));
}

TEST(Bridge, RefusesRulesThatGiveTwoFieldsOneName) {
  EXPECT_THAT(test::thrown_by([] {
                bring(channel_of("test/T", "int8 a\nint8 b\n"), "\1\2"s, "cdr", 0,
                      parse_migration("fields: {test/T: {a: b}}"));
              }).what(),
              HasSubstr("rename a field of test/msg/T to b, which another field is called"));
}

TEST(Bridge, RulesForFieldsThatNoTypeHasDoNotApply) {
  Brought there = bring(channel_of("test/T", "int8 a\n"), "\1"s, "cdr", 0,
                        parse_migration("fields: {test/T: {typo: b}}\nfill: {test/T: {a: 2}}"));
  EXPECT_THAT(there.rules, ElementsAre(Pair("test/T", false)));
}

}  // namespace
}  // namespace kitbag
