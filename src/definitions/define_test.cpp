#include <gmock/gmock.h>

#include <filesystem>

#include "kitbag/definitions.h"
#include "kitbag/session.h"
#include "tests/support/source_rules.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Outcome = DefinitionNews::Outcome;

const std::string kNextDefinition = "\n" + std::string(80, '=') + "\nMSG: ";
const Session kSession;
const std::string kMd5OfString = "992ce8a1687cec8c8bd883ec73ca41d1";

class DefineStage : public testing::Test {
 protected:
  void make(const std::string& file, const std::string& text) const {
    std::filesystem::path path = folder_.path(file);
    std::filesystem::create_directories(path.parent_path());
    folder_.write(file, text);
  }

  /// What becomes of a channel of `type` whose bag says `md5sum`.
  ChannelPtr defined(const std::string& type, const std::string& md5sum, std::string text = {}) {
    auto channel = std::make_shared<Channel>();
    channel->topic = "/a";
    channel->encoding = "ros1";
    channel->schema = std::make_shared<Schema>(Schema{type, "ros1msg", std::move(text)});
    channel->metadata = {{"md5sum", md5sum}, {"callerid", "/me"}};
    return through_stage(channel);
  }
  /// What becomes of a channel of `type` in a bag of rosbag2, with that type hash or none.
  ChannelPtr defined_in_ros2(const std::string& type, const std::string& hash = {}) {
    auto channel = std::make_shared<Channel>();
    channel->topic = "/a";
    channel->encoding = "cdr";
    channel->schema = std::make_shared<Schema>(Schema{type, hash.empty() ? "" : "ros2msg", {}});
    if (!hash.empty()) channel->metadata = {{"topic_type_hash", hash}};
    return through_stage(channel);
  }
  ChannelPtr through_stage(const std::shared_ptr<Channel>& channel) {
    DefinitionPaths paths;
    for (const char* each : {"first", "second"}) paths.push_back({folder_.path(each), 0});
    if (knows_standard_) paths.push_back({kStandardDefinitions, 0});
    auto stage =
        define(paths, kSession, [&](const DefinitionNews& each) { news_.push_back(each); });
    before_ = channel;
    return stage->map(channel);
  }
  bool is_unchanged(const ChannelPtr& after) const { return after == before_; }

  TemporaryFolder folder_;
  bool knows_standard_ = false;
  ChannelPtr before_;
  std::vector<DefinitionNews> news_;
};

TEST_F(DefineStage, TakesTheDefinitionWithTheRightSum) {
  make("first/std_msgs/msg/String.msg", "# text\nstring data\n");
  ChannelPtr channel = defined("std_msgs/String", kMd5OfString);
  EXPECT_EQ(*channel->schema, (Schema{"std_msgs/String", "ros1msg", "# text\nstring data\n"}));
  EXPECT_EQ(channel->metadata, before_->metadata);
  ASSERT_EQ(news_.size(), 1U);
  EXPECT_EQ(news_[0].outcome, Outcome::agreed);
  EXPECT_EQ(news_[0].path, folder_.path("first/std_msgs/msg/String.msg"));
}

TEST_F(DefineStage, KnowsTheStandardMessagesOfRos1) {
  knows_standard_ = true;
  ChannelPtr channel = defined("nav_msgs/Odometry", "cd5e73d190d741a2f92e81eda573aca7");
  EXPECT_THAT(channel->schema->text, HasSubstr("geometry_msgs/PoseWithCovariance pose\n"));
  EXPECT_THAT(channel->schema->text, HasSubstr("MSG: std_msgs/Header"));
  ASSERT_EQ(news_.size(), 1U);
  EXPECT_EQ(news_[0].text,
            "kitbag's own nav_msgs/msg/Odometry.msg of ROS 1 Noetic defines the nav_msgs/Odometry "
            "of the bag");
  EXPECT_TRUE(is_unchanged(defined("nav_msgs/Odometry", std::string(32, '0'))));
  EXPECT_EQ(news_[1].outcome, Outcome::refused);
  EXPECT_THAT(news_[1].text, HasSubstr("defines another version of nav_msgs/Odometry"));
}

TEST_F(DefineStage, TakesTheStandardMessageThatTheHashOfRos2Proves) {
  knows_standard_ = true;
  ChannelPtr humble = defined_in_ros2("visualization_msgs/msg/MarkerArray");
  EXPECT_EQ(news_[0].outcome, Outcome::assumed);
  EXPECT_THAT(news_[0].text, HasSubstr("kitbag's own visualization_msgs/msg/MarkerArray.msg of "
                                       "ROS 2 Humble"));
  EXPECT_THAT(humble->schema->text, HasSubstr("sensor_msgs/CompressedImage texture"));
  std::string hash = humble->metadata.at("topic_type_hash");
  EXPECT_THAT(hash, testing::StartsWith("RIHS01_"));
  EXPECT_EQ(*defined_in_ros2("visualization_msgs/msg/MarkerArray", hash)->schema, *humble->schema);
  EXPECT_EQ(news_[1].outcome, Outcome::agreed);
}

TEST_F(DefineStage, AFolderGoesBeforeTheStandardMessages) {
  knows_standard_ = true;
  make("first/std_msgs/msg/String.msg", "string data  # mine\n");
  EXPECT_EQ(defined("std_msgs/String", kMd5OfString)->schema->text, "string data  # mine\n");
  make("first/std_msgs/msg/Header.msg", "string other\n");
  ChannelPtr stamped = defined("geometry_msgs/PointStamped", "c63aecb41bfdfd6b7e1fac37c7cbe7bf");
  EXPECT_EQ(news_.back().outcome, Outcome::agreed);
  EXPECT_THAT(stamped->schema->text, testing::Not(HasSubstr("other")));
}

TEST_F(DefineStage, ASessionKeepsWhatAFingerprintProves) {
  make("first/std_msgs/msg/String.msg", "# text\nstring data\n");
  ChannelPtr first = defined("std_msgs/String", kMd5OfString);
  std::filesystem::remove_all(folder_.path("first"));
  ChannelPtr again = defined("std_msgs/String", kMd5OfString);
  EXPECT_EQ(*again->schema, *first->schema);
  EXPECT_EQ(again->metadata, first->metadata);
  ASSERT_EQ(news_.size(), 2U);
  EXPECT_EQ(news_[1].outcome, Outcome::agreed);
  EXPECT_EQ(news_[1].path, news_[0].path);
  EXPECT_EQ(news_[1].text, news_[0].text);
}

TEST_F(DefineStage, ASessionSearchesAgainForWhatNothingProves) {
  EXPECT_TRUE(is_unchanged(defined("std_msgs/String", kMd5OfString)));
  make("first/std_msgs/msg/String.msg", "string data\n");
  EXPECT_FALSE(is_unchanged(defined("std_msgs/String", kMd5OfString)));
  EXPECT_FALSE(is_unchanged(defined("std_msgs/String", "*")));
  std::filesystem::remove_all(folder_.path("first"));
  EXPECT_TRUE(is_unchanged(defined("std_msgs/String", "*")));
}

TEST_F(DefineStage, TakesTheRos2DefinitionWithTheRightTypeHash) {
  make("first/std_msgs/msg/Header.msg", "uint32 seq\nbuiltin_interfaces/Time stamp\n");
  make("second/std_msgs/msg/Header.msg", "builtin_interfaces/Time stamp\nstring frame_id\n");
  auto channel = std::make_shared<Channel>();
  channel->encoding = "cdr";
  channel->schema = std::make_shared<Schema>(Schema{"std_msgs/msg/Header", "ros2msg", {}});
  const char* published = "RIHS01_f49fb3ae2cf070f793645ff749683ac6b06203e41c891e17701b1cb597ce6a01";
  channel->metadata = {{"topic_type_hash", published}};
  ChannelPtr found = through_stage(channel);
  EXPECT_EQ(found->schema->text, "builtin_interfaces/Time stamp\nstring frame_id\n");
  EXPECT_EQ(found->metadata, channel->metadata);
  EXPECT_EQ(news_[0].outcome, Outcome::agreed);
  channel->metadata["topic_type_hash"].back() = '2';
  EXPECT_TRUE(is_unchanged(through_stage(channel)));
  EXPECT_THAT(news_[1].text,
              HasSubstr("defines another version of std_msgs/msg/Header: its type hash is"));
  channel->metadata.clear();
  channel->schema = std::make_shared<Schema>(Schema{"std_msgs/msg/Header", {}, {}});
  EXPECT_FALSE(is_unchanged(through_stage(channel)));
  EXPECT_EQ(news_[2].outcome, Outcome::assumed);
}

/// Their type hashes are as rosidl computes them.
TEST_F(DefineStage, DerivesMessagesOfServicesAndActions) {
  make("first/std_srvs/srv/SetBool.srv", "bool data # on\n---\nbool success\nstring message\n");
  make("first/fib/action/Fib.action", "int32 order\n---\nint32[] all\n---\nint32[] part\n");
  auto channel = std::make_shared<Channel>();
  channel->encoding = "cdr";
  channel->schema = std::make_shared<Schema>(Schema{"std_srvs/srv/SetBool_Event", "ros2msg", {}});
  channel->metadata = {{"topic_type_hash",
                        "RIHS01_3c4c20015afb4303eafd347b1d6a786f171a89c814726961a9593ef10df878cf"}};
  ChannelPtr found = through_stage(channel);
  EXPECT_EQ(news_.at(0).outcome, Outcome::agreed) << news_.at(0).text;
  EXPECT_THAT(found->schema->text, HasSubstr("std_srvs/srv/SetBool_Request[<=1] request\n"));
  EXPECT_THAT(found->schema->text, testing::Not(HasSubstr("---")));
  channel->metadata["topic_type_hash"].back() = '0';
  EXPECT_TRUE(is_unchanged(through_stage(channel)));
  EXPECT_EQ(news_.at(1).outcome, Outcome::refused);

  channel->schema = std::make_shared<Schema>(Schema{"fib/action/Fib_FeedbackMessage", {}, {}});
  channel->metadata.clear();
  found = through_stage(channel);
  EXPECT_EQ(news_.at(2).outcome, Outcome::assumed);
  EXPECT_THAT(found->schema->text, HasSubstr("unique_identifier_msgs/UUID goal_id\n"));
  EXPECT_THAT(found->schema->text, HasSubstr("MSG: fib/action/Fib_Feedback\nint32[] part\n"));
}

TEST_F(DefineStage, AddsNestedTypesOfTheSameFolderFirst) {
  make("first/a/msg/B.msg", "C c");
  make("first/a/msg/C.msg", "int8 wrong");
  make("second/a/msg/B.msg", "C c");
  make("second/a/msg/C.msg", "d/E[] right");
  make("first/d/msg/E.msg", "");
  // md5 of "<md5 of "d41d8cd98f00b204e9800998ecf8427e right"> c"
  ChannelPtr channel = defined("a/B", "f6ac83d860b6eb789c193db586964a44");
  EXPECT_EQ(channel->schema->text,
            "C c" + kNextDefinition + "a/C\nd/E[] right" + kNextDefinition + "d/E\n");
}

TEST_F(DefineStage, GoesOnBehindADefinitionWithAnotherSum) {
  make("first/std_msgs/msg/String.msg", "string text");
  make("second/std_msgs/msg/String.msg", "string data");
  EXPECT_EQ(defined("std_msgs/String", kMd5OfString)->schema->text, "string data");
  EXPECT_EQ(news_[0].outcome, Outcome::agreed);
}

TEST_F(DefineStage, RefusesADefinitionWithAnotherSum) {
  make("first/std_msgs/msg/String.msg", "string text");
  EXPECT_TRUE(is_unchanged(defined("std_msgs/String", kMd5OfString)));
  EXPECT_EQ(news_[0].outcome, Outcome::refused);
  EXPECT_THAT(news_[0].text,
              HasSubstr("String.msg defines another version of std_msgs/String: its MD5 sum"));
}

TEST_F(DefineStage, RefusesWhatIsOfNoUse) {
  make("first/a/msg/B.msg", "string<=10 text");
  make("first/a/msg/C.msg", "Missing m");
  make("first/a/msg/D.msg", "Wrong w");
  make("first/a/msg/Wrong.msg", "wrong");
  EXPECT_TRUE(is_unchanged(defined("a/B", "*")));
  EXPECT_TRUE(is_unchanged(defined("a/C", "*")));
  EXPECT_TRUE(is_unchanged(defined("a/D", "*")));
  for (const DefinitionNews& each : news_) EXPECT_EQ(each.outcome, Outcome::refused);
  EXPECT_THAT(news_[0].text, HasSubstr("B.msg cannot be used: definition of a/B, line 1"));
  EXPECT_THAT(news_[1].text, HasSubstr("it uses Missing, which is missing"));
}

TEST_F(DefineStage, AssumesWhereTheBagDoesNotSay) {
  make("first/std_msgs/msg/String.msg", "string data");
  ChannelPtr channel = defined("std_msgs/String", "*");
  EXPECT_EQ(channel->schema->text, "string data");
  EXPECT_EQ(channel->metadata.at("md5sum"), kMd5OfString);
  EXPECT_EQ(channel->metadata.count("original_md5sum"), 0U);
  EXPECT_EQ(news_[0].outcome, Outcome::assumed);
  EXPECT_THAT(news_[0].text, HasSubstr("the bag does not identify its version of std_msgs/String"));
}

TEST_F(DefineStage, KnowsTheSumOfOldTimes) {
  make("first/a/msg/B.msg", "int8 x # v1\n");
  ChannelPtr channel = defined("a/B", "54d0f0a2c12cddfeeea15361d11d6477");
  EXPECT_EQ(channel->schema->text, "int8 x # v1\n");
  EXPECT_EQ(channel->metadata.at("md5sum"), "6b7838fc0c9ab0287a0bf785874d405b");
  EXPECT_EQ(channel->metadata.at("original_md5sum"), "54d0f0a2c12cddfeeea15361d11d6477");
  ChannelPtr again = defined("a/B", "54d0f0a2c12cddfeeea15361d11d6477");  // kept by the session
  EXPECT_EQ(again->metadata, channel->metadata);
}

TEST_F(DefineStage, FindsWhatWasRenamed) {
  make("first/rosgraph_msgs/msg/Clock.msg", "time clock");
  make("first/std_msgs/msg/Header.msg", "uint32 seq\ntime stamp\nstring frame_id");
  make("first/a/msg/B.msg", "roslib/Header h");
  ChannelPtr clock = defined("roslib/Clock", "a9c97c1d230cfc112e270351a944ee47");
  EXPECT_EQ(clock->type(), "roslib/Clock");
  EXPECT_EQ(clock->schema->text, "time clock");
  EXPECT_THAT(defined("a/B", "2fb230b1c292dc29f6aeb6a8ee50c6d0")->schema->text,
              HasSubstr("MSG: roslib/Header\nuint32 seq"));
}

TEST_F(DefineStage, LeavesOthersAlone) {
  make("first/std_msgs/msg/String.msg", "string data");
  make("first/std_msgs/msg/Empty.msg", "# nothing");
  EXPECT_TRUE(is_unchanged(defined("std_msgs/String", kMd5OfString, "string data")));
  EXPECT_TRUE(is_unchanged(defined("std_msgs/Empty", "d41d8cd98f00b204e9800998ecf8427e")));
  EXPECT_TRUE(is_unchanged(defined("*", "*")));
  EXPECT_TRUE(is_unchanged(defined("unknown/Unknown", "*")));
  auto other = std::make_shared<Channel>();
  EXPECT_TRUE(is_unchanged(through_stage(other)));
  other->schema = std::make_shared<Schema>(Schema{"std_msgs/String", "ros2idl", ""});
  other->encoding = "cdr";
  EXPECT_TRUE(is_unchanged(through_stage(other)));
  EXPECT_THAT(news_, IsEmpty());
}

TEST_F(DefineStage, TellsWhatIsMissing) {
  EXPECT_TRUE(is_unchanged(defined("a/B", "*")));
  ASSERT_EQ(news_.size(), 1U);
  EXPECT_EQ(news_[0].outcome, Outcome::missing);
  EXPECT_EQ(news_[0].text, "no definition of a/B was found");
}

std::unique_ptr<Source> defined_source(const DefinitionPaths& paths, OnDefinition on = {}) {
  test::Samples samples = {{"/a", 1, "x", "std_msgs/String"},
                           {"/b", 2, "y", "std_msgs/String"},
                           {"/c", 3, "z", "std_msgs/Other"}};
  auto source =
      test::memory_source(samples, {.declares_late = true, .metadata = {{"md5sum", "*"}}});
  return through(std::move(source), define(paths, kSession, std::move(on)));
}

TEST_F(DefineStage, LooksOnceForATypeAndLeavesMessagesAlone) {
  make("first/std_msgs/msg/String.msg", "string data");
  auto source = defined_source({{folder_.path("first"), 0}},
                               [&](const DefinitionNews& each) { news_.push_back(each); });
  EXPECT_THAT(test::collect(*source), ElementsAre(test::Sample{"/a", 1, "x", "std_msgs/String"},
                                                  test::Sample{"/b", 2, "y", "std_msgs/String"},
                                                  test::Sample{"/c", 3, "z", "std_msgs/Other"}));
  const Channels& channels = *source->channels();
  EXPECT_EQ(channels[0]->schema, channels[1]->schema);
  EXPECT_EQ(channels[0]->schema->text, "string data");
  EXPECT_EQ(channels[2]->schema->text, "");
  EXPECT_EQ(news_.size(), 2U);
}

TEST_F(DefineStage, KeepsTheRulesOfSources) {
  make("first/std_msgs/msg/String.msg", "string data");
  test::expect_source_rules([&] { return defined_source({{folder_.path("first"), 0}}); });
}

std::vector<std::string> listed_paths(const DefinitionPaths& paths) {
  std::vector<std::string> found;
  for (const DefinitionFolder& each : paths) {
    found.push_back(each.path + (each.levels > 0 ? " and below" : ""));
  }
  return found;
}

TEST(DefinitionPathsOf, TheOrderIsAsDocumented) {
  TemporaryFolder folder;
  EXPECT_THAT(listed_paths(definition_paths({folder.path()}, {"/k1:/k2", "/r:", "::/a:"})),
              ElementsAre(folder.path(), "/k1", "/k2", "/r and below", "/a", "/usr/share",
                          kStandardDefinitions));
  EXPECT_THAT(listed_paths(definition_paths({}, {})),
              ElementsAre("/usr/share", kStandardDefinitions));
}

TEST(DefinitionPathsOf, AFolderThatWasGivenMustBeThere) {
  TemporaryFolder folder;
  std::string file = folder.write("file", "");
  for (const std::string& wrong : {folder.path("nowhere"), file}) {
    Error error = test::thrown_by([&] { definition_paths({wrong}, {}); });
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_EQ(error.file(), wrong);
  }
}

}  // namespace
}  // namespace kitbag
