#include <gmock/gmock.h>

#include <string>

#include "kitbag/live_topics.h"

namespace kitbag {
namespace {

using testing::IsEmpty;

LiveEndpoint endpoint(const std::string& qos) {
  return {"/node", "[{" + qos + "}]"};
}

/// The policy of which `offered` has less than `requested`; "": they get along.
std::string conflict(const std::string& offered, const std::string& requested) {
  LiveTopic topic;
  topic.publishers = {endpoint(offered)};
  topic.subscribers = {endpoint(requested)};
  auto found = qos_conflicts(topic);
  return found.empty() ? "" : found.front().policy;
}

TEST(QosConflicts, WhoRequestsMoreThanIsOfferedGetsNothing) {
  EXPECT_EQ(conflict("reliability: best_effort", "reliability: reliable"), "reliability");
  EXPECT_EQ(conflict("durability: volatile", "durability: transient_local"), "durability");
  EXPECT_EQ(conflict("deadline: {sec: 2, nsec: 0}", "deadline: {sec: 1, nsec: 0}"), "deadline");
  EXPECT_EQ(conflict("deadline: {sec: 0, nsec: 0}", "deadline: {sec: 1, nsec: 0}"), "deadline");
  EXPECT_EQ(conflict("liveliness: automatic", "liveliness: manual_by_topic"), "liveliness");
  EXPECT_EQ(conflict("liveliness_lease_duration: {sec: 0, nsec: 500000000}",
                     "liveliness_lease_duration: {sec: 0, nsec: 400000000}"),
            "liveliness");
}

TEST(QosConflicts, WhoRequestsLessGetsAlong) {
  EXPECT_EQ(conflict("reliability: reliable, durability: transient_local",
                     "reliability: best_effort, durability: volatile"),
            "");
  EXPECT_EQ(conflict("deadline: {sec: 1, nsec: 0}", "deadline: {sec: 2, nsec: 0}"), "");
  // No limit, as DDS and as rmw write it.
  EXPECT_EQ(conflict("deadline: {sec: 9223372036, nsec: 854775807}", "deadline: {sec: 0, nsec: 0}"),
            "");
  EXPECT_EQ(conflict("history: keep_last, depth: 1", "history: keep_all"), "");
}

TEST(QosConflicts, PairsAreNamed) {
  LiveTopic topic;
  topic.publishers = {
      endpoint("reliability: reliable"), endpoint("reliability: best_effort"), {"/of ROS 1", ""}};
  topic.subscribers = {{"/odd", "{not: a list"}, endpoint("reliability: reliable")};
  auto found = qos_conflicts(topic);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].publisher, 1U);
  EXPECT_EQ(found[0].subscriber, 1U);
  EXPECT_THAT(qos_conflicts({}), IsEmpty());
}

TEST(QosText, IsWhatPeopleSay) {
  EXPECT_EQ(describe_qos(endpoint("history: keep_last, depth: 10, reliability: reliable, "
                                  "durability: volatile")),
            "reliable, volatile, keep last 10");
  EXPECT_EQ(describe_qos(endpoint("history: unknown, reliability: best_effort, durability: "
                                  "transient_local, deadline: {sec: 0, nsec: 500000000}, "
                                  "liveliness: manual_by_topic")),
            "best effort, transient local, manual by topic, deadline 0.5 s");
  EXPECT_EQ(describe_qos({"/node", ""}), "");
  EXPECT_EQ(describe_qos({"/node", "nonsense: ["}), "");
}

}  // namespace
}  // namespace kitbag
