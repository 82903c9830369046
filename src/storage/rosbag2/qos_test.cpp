
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kitbag/error.h"
#include "kitbag/rosbag2.h"
#include "tests/support/thrown_by.h"

namespace kitbag::rosbag2 {
namespace {

using test::thrown_by;
using ::testing::HasSubstr;

constexpr const char* kNumbers =
    "- history: 1\n  depth: 10\n  reliability: 2\n  durability: 1\n"
    "  deadline:\n    sec: 0\n    nsec: 7\n  lifespan:\n    sec: 9223372036\n"
    "    nsec: 854775807\n  liveliness: 3\n  liveliness_lease_duration:\n    sec: 0\n"
    "    nsec: 0\n  avoid_ros_namespace_conventions: true";
constexpr const char* kNames =
    "- history: keep_last\n  depth: 10\n  reliability: best_effort\n"
    "  durability: transient_local\n  deadline:\n    sec: 0\n    nsec: 7\n  lifespan:\n"
    "    sec: 9223372036\n    nsec: 854775807\n  liveliness: manual_by_topic\n"
    "  liveliness_lease_duration:\n    sec: 0\n    nsec: 0\n"
    "  avoid_ros_namespace_conventions: true";

TEST(Qos, EitherFormIsReadAndWritten) {
  for (const char* text : {kNumbers, kNames}) {
    auto profiles = parse_qos(text);
    ASSERT_EQ(profiles.size(), 1U);
    EXPECT_EQ(print_qos(profiles, QosForm::numbers), kNumbers);
    EXPECT_EQ(print_qos(profiles, QosForm::names), kNames);
  }
}

TEST(Qos, SeveralPublishersHaveSeveralProfiles) {
  auto profiles = parse_qos(fmt::format("{}\n{}", kNumbers, kNames));
  EXPECT_EQ(profiles.size(), 2U);
  EXPECT_EQ(print_qos(profiles, QosForm::names), fmt::format("{}\n{}", kNames, kNames));
  EXPECT_TRUE(parse_qos("").empty());
  EXPECT_TRUE(parse_qos("[]").empty());
  EXPECT_EQ(print_qos({}, QosForm::names), "");
}

TEST(Qos, WhatIsNoneIsAnError) {
  for (const char* text : {"- history: sometimes", "- history: [1]", "- history: {", "- 7",
                           "- depth: -1", "- deadline: {sec: x}"}) {
    EXPECT_EQ(thrown_by([&] { parse_qos(text); }).code(), ErrorCode::corrupt) << text;
  }
}

TEST(Qos, ValuesWithoutANameStayNumbers) {
  EXPECT_THAT(print_qos(parse_qos("- history: 77"), QosForm::names), HasSubstr("history: 77"));
}

TEST(QosOf, IsInTheFormAskedFor) {
  Channel channel;
  EXPECT_EQ(qos_of(channel, QosForm::names), "");
  channel.metadata["offered_qos_profiles"] = kNumbers;
  EXPECT_EQ(qos_of(channel, QosForm::names), kNames);
  EXPECT_EQ(qos_of(channel, QosForm::numbers), kNumbers);
  channel.metadata["offered_qos_profiles"] = "what is this";
  EXPECT_EQ(qos_of(channel, QosForm::names), "");
  channel.metadata["offered_qos_profiles"] = "- history: who knows";
  EXPECT_EQ(qos_of(channel, QosForm::names), "- history: who knows");
}

TEST(QosOf, LatchedChannelsAreTransientLocal) {
  Channel channel;
  channel.metadata["latching"] = "1";
  Channel like;
  like.metadata["offered_qos_profiles"] = qos_of(channel, QosForm::names);
  EXPECT_TRUE(is_latched(like));
  like.metadata["offered_qos_profiles"] = qos_of(channel, QosForm::numbers);
  EXPECT_TRUE(is_latched(like));
}

TEST(QosOverrides, AreProfilesByTopic) {
  auto profiles = parse_qos_overrides(
      "/a:\n  reliability: best_effort\n  deadline: {sec: 1, nsec: 5}\n/b: {history: keep_all}\n");
  ASSERT_EQ(profiles.size(), 2U);
  EXPECT_EQ(profiles.at("/a").reliability, QosProfile::kBestEffort);
  EXPECT_EQ(profiles.at("/a").deadline.nsec, 5U);
  EXPECT_EQ(profiles.at("/b").history, QosProfile::kKeepAll);
  for (const char* text : {"", "- /a", "/a: reliable", "/a: {reliability: perhaps}", "{"}) {
    EXPECT_EQ(thrown_by([&] { parse_qos_overrides(text); }).code(), ErrorCode::corrupt) << text;
  }
}

TEST(QosOverrides, AKeyThatNobodyReadsIsAnError) {
  auto said = [](const char* text) {
    return thrown_by([&] { parse_qos_overrides(text); }).message();
  };
  EXPECT_EQ(said("/a: {relyability: reliable}"),
            "/a: unknown key \"relyability\"; did you mean \"reliability\"?");
  EXPECT_EQ(said("/a: {deadline: {seconds: 1}}"),
            "/a: deadline: unknown key \"seconds\"; known: sec, nsec");
  EXPECT_EQ(said("/a: {depth: 1}\n/b: {x: 1}").substr(0, 34),
            "/b: unknown key \"x\"; known: histor");
}

TEST(StaticTopics, AreTopicsWithTheirTypes) {
  auto topics = parse_static_topics(
      "static_topics_and_types_list:\n  - [/a, std_msgs/msg/String]\n  - [/b, x/msg/Y]\n");
  ASSERT_EQ(topics.size(), 2U);
  EXPECT_EQ(topics[0].topic, "/a");
  EXPECT_EQ(topics[1].type, "x/msg/Y");
  for (const char* text : {"", "topics: []", "static_topics_and_types_list: 3",
                           "static_topics_and_types_list: [/a]", "[", "- x"}) {
    EXPECT_EQ(thrown_by([&] { parse_static_topics(text); }).code(), ErrorCode::corrupt) << text;
  }
}

}  // namespace
}  // namespace kitbag::rosbag2
