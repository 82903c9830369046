#include "kitbag/bag_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kitbag {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

class ChunkBag final : public Bag {
 public:
  ChunkBag(Summary summary, std::vector<ChunkSummary> chunks)
      : summary_(std::move(summary)), chunks_(std::move(chunks)) {}
  const Summary& summary() const override { return summary_; }
  std::unique_ptr<Source> read_messages(const Query&, const Wait&) const override {
    return nullptr;
  }
  std::vector<ChunkSummary> chunks() const override { return chunks_; }

 private:
  Summary summary_;
  std::vector<ChunkSummary> chunks_;
};

ChunkSummary chunk(std::string compression, std::uint64_t stored, std::uint64_t whole) {
  ChunkSummary summary;
  summary.compression = std::move(compression);
  summary.stored_bytes = stored;
  summary.bytes = whole;
  return summary;
}

TEST(DescribeBag, NamesTheCompression) {
  Summary summary;
  summary.channels = std::make_shared<const Channels>();
  EXPECT_EQ(describe_bag("x", ChunkBag(summary, {})).compression, "none");
  BagInfo plain = describe_bag("x", ChunkBag(summary, {chunk("none", 5, 5)}));
  EXPECT_EQ(plain.compression, "none");
  EXPECT_FALSE(plain.ratio);
  BagInfo packed = describe_bag("x", ChunkBag(summary, {chunk("lz4", 1, 4), chunk("lz4", 3, 6)}));
  EXPECT_EQ(packed.compression, "lz4");
  EXPECT_EQ(packed.ratio, 2.5);
  BagInfo mixed = describe_bag("x", ChunkBag(summary, {chunk("none", 4, 4), chunk("bz2", 1, 6)}));
  EXPECT_EQ(mixed.compression, "mixed");
  EXPECT_EQ(mixed.ratio, 2.0);
}

/// Three channels with 20 messages each within ten seconds.
BagInfo two_topics() {
  auto text = std::make_shared<const Schema>(Schema{"pkg/T", "ros1msg", "string text\n"});
  auto binary = std::make_shared<const Schema>(Schema{"pkg.P", "protobuf", "\n\xff"});
  BagInfo info;
  info.summary.start = Time(1s);
  info.summary.end = Time(11s);
  auto add = [&](std::string topic, SchemaPtr schema, std::map<std::string, std::string> metadata) {
    info.channels.push_back({std::make_shared<const Channel>(Channel{
                                 std::move(topic), "x", std::move(schema), std::move(metadata), 0}),
                             20});
  };
  add("/b", text, {{"latching", "1"}});
  add("/b", text, {});
  add("/a", binary, {});
  return info;
}

TEST(TopicsOf, IsOneForEachTopicAndType) {
  std::vector<TopicInfo> topics = topics_of(two_topics());
  ASSERT_EQ(topics.size(), 2U);
  EXPECT_EQ(topics[0].topic, "/a");
  EXPECT_EQ(topics[0].rate_hz, 2.0);
  EXPECT_EQ(topics[1].messages, 40U);
  EXPECT_EQ(topics[1].connections, 2U);
  EXPECT_EQ(topics[1].latched, 1U);
}

/// A service, four topics of an action, and one that is neither.
BagInfo with_calls() {
  BagInfo info;
  auto add = [&](std::string topic, std::string type, std::uint64_t messages) {
    auto schema = std::make_shared<const Schema>(Schema{std::move(type), "ros2msg", ""});
    info.channels.push_back(
        {std::make_shared<const Channel>(Channel{std::move(topic), "cdr", schema, {}, 0}),
         messages});
  };
  add("/dock/_action/status", "action_msgs/msg/GoalStatusArray", 4);
  add("/dock/_action/feedback", "x/action/Dock_FeedbackMessage", 3);
  add("/dock/_action/send_goal/_service_event", "x/action/Dock_SendGoal_Event", 2);
  add("/add/_service_event", "x/srv/Add_Event", 5);
  add("/add/_service_event", "x/srv/Add_Event", 1);  // another publisher
  add("/odom", "nav_msgs/msg/Odometry", 9);
  return info;
}

TEST(CallsOf, AreServicesAndThenActions) {
  std::vector<CallInfo> calls = calls_of(with_calls());
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].of, CallTopic::Of::service);
  EXPECT_EQ(calls[0].name, "/add");
  EXPECT_EQ(calls[0].type, "x/srv/Add");
  EXPECT_EQ(calls[0].messages.at(""), 6U);
  EXPECT_EQ(calls[1].of, CallTopic::Of::action);
  EXPECT_EQ(calls[1].name, "/dock");
  EXPECT_EQ(calls[1].type, "x/action/Dock");
  EXPECT_EQ(calls[1].messages, (std::map<std::string, std::uint64_t>{
                                   {"status", 4}, {"feedback", 3}, {"send_goal", 2}}));
}

TEST(InfoJson, NamesServicesAndActionsIfThereAreAny) {
  BagInfo info = with_calls();
  info.summary.channels = std::make_shared<const Channels>();
  std::string json = info_json({&info, 1});
  EXPECT_THAT(json, HasSubstr(R"("service": "/add",
      "type": "x/srv/Add",
      "events": 6)"));
  EXPECT_THAT(json, HasSubstr(R"("action": "/dock",
      "type": "x/action/Dock",
      "feedback": 3,
      "send_goal": 2,
      "status": 4)"));
  BagInfo plain = two_topics();
  std::string without = info_json({&plain, 1});
  EXPECT_THAT(without, Not(HasSubstr("\"services\"")));
  EXPECT_THAT(without, Not(HasSubstr("\"actions\"")));
}

TEST(SchemasJson, HasTextAsItIsAndBytesAsBase64) {
  std::string json = schemas_json(two_topics(), Session());
  EXPECT_THAT(json, HasSubstr(R"("text": "string text\n")"));
  EXPECT_THAT(json, HasSubstr(R"("data_base64": "Cv8=")"));
  EXPECT_THAT(json, HasSubstr("\"topics\": [\n      \"/b\"\n    ]"));
}

}  // namespace
}  // namespace kitbag
