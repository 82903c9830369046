#include "transport/ros2/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "kitbag/error.h"
#include "kitbag/open.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag::ros2 {
namespace {

using test::thrown_by;
using testing::HasSubstr;
using testing::Not;

Settings settings(const std::string& uri, std::map<std::string, std::string> variables = {}) {
  return Settings::of(
      *location_of(uri), [&](const char* name) { return variables[name]; }, "kitbag_recorder");
}

TEST(Ros2Settings, WhatTheUriSays) {
  Settings plain = settings("ros2://");
  EXPECT_EQ(plain.domain, 0U);
  EXPECT_EQ(plain.node, "kitbag_recorder");
  EXPECT_EQ(plain.hidden, Settings::Hidden::named);
  EXPECT_EQ(plain.gid_bytes, 16U);
  Settings all = settings("ros2://42?node=box&hidden=1&gid=24", {{"ROS_DOMAIN_ID", "7"}});
  EXPECT_EQ(all.domain, 42U);
  EXPECT_EQ(all.node, "box");
  EXPECT_EQ(all.hidden, Settings::Hidden::all);
  EXPECT_EQ(settings("ros2://?hidden=calls").hidden, Settings::Hidden::calls);
  EXPECT_EQ(settings("ros2://?hidden=0").hidden, Settings::Hidden::named);
  EXPECT_EQ(all.gid_bytes, 24U);
  EXPECT_EQ(settings("ros2://", {{"ROS_DOMAIN_ID", "7"}}).domain, 7U);
}

TEST(Ros2Settings, WhichRequestsAreSentAgain) {
  EXPECT_FALSE(settings("ros2://").service_requests);
  EXPECT_FALSE(settings("ros2://").action_requests);
  Settings both = settings(
      "ros2://?service_requests=service_introspection&action_requests=client_introspection");
  EXPECT_EQ(both.service_requests, CallEvent::What::request_received);
  EXPECT_EQ(both.action_requests, CallEvent::What::request_sent);
}

TEST(Ros2Settings, WhatIsWrongIsTold) {
  for (const char* uri : {"ros2://233", "ros2://-1", "ros2://x", "ros2://?speed=1",
                          "ros2://?node=", "ros2://?hidden=yes", "ros2://?gid=20",
                          "ros2://?service_requests=1", "ros2://?action_requests=server"}) {
    EXPECT_EQ(thrown_by([&] { settings(uri); }).code(), ErrorCode::invalid) << uri;
  }
  EXPECT_EQ(thrown_by([&] { settings("ros2://?qos=/nowhere"); }).code(), ErrorCode::not_found);
  EXPECT_THAT(thrown_by([&] {
                settings("ros2://", {{"ROS_DOMAIN_ID", "x"}});
              }).message(),
              HasSubstr("ROS_DOMAIN_ID"));
}

TEST(Ros2Settings, QosOverridesComeFromAFile) {
  TemporaryFolder folder;
  std::string path = folder.path("q.yaml");
  std::ofstream(path) << "/a:\n  reliability: best_effort\n  depth: 3\n";
  auto made = settings("ros2://?qos=" + path);
  ASSERT_EQ(made.qos.size(), 1U);
  EXPECT_EQ(made.qos.at("/a").reliability, rosbag2::QosProfile::kBestEffort);
  EXPECT_EQ(made.qos.at("/a").depth, 3U);
  std::ofstream(path) << "- no map";
  Error error = thrown_by([&] { settings("ros2://?qos=" + path); });
  EXPECT_EQ(error.code(), ErrorCode::corrupt);
  EXPECT_EQ(error.file(), path);
}

TEST(Ros2Settings, OtherMiddlewares) {
  auto warning = [](const char* name) {
    return settings("ros2://", {{"RMW_IMPLEMENTATION", name}}).middleware_warning;
  };
  EXPECT_EQ(warning(""), "");
  EXPECT_EQ(warning("rmw_cyclonedds_cpp"), "");
  EXPECT_THAT(warning("rmw_fastrtps_cpp"), HasSubstr("kitbag uses Cyclone DDS"));
  EXPECT_EQ(thrown_by([&] { warning("rmw_zenoh_cpp"); }).code(), ErrorCode::unsupported);
}

TEST(Ros2Settings, WhereOthersAreLookedFor) {
  auto configuration = [](std::map<std::string, std::string> variables) {
    return settings("ros2://", std::move(variables)).configuration;
  };
  EXPECT_THAT(configuration({}), Not(HasSubstr("Peer")));
  EXPECT_THAT(configuration({{"ROS_LOCALHOST_ONLY", "1"}}), HasSubstr("127.0.0.1"));
  EXPECT_THAT(configuration({{"ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST"}}),
              HasSubstr("<AllowMulticast>false"));
  EXPECT_THAT(configuration({{"ROS_STATIC_PEERS", "10.0.0.1;robot"}}),
              HasSubstr("<Peer Address=\"10.0.0.1\"/><Peer Address=\"robot\"/>"));
  EXPECT_EQ(thrown_by([&] {
              configuration({{"ROS_STATIC_PEERS", "\"/><x"}});
            }).code(),
            ErrorCode::invalid);
  EXPECT_EQ(thrown_by([&] {
              configuration({{"ROS_AUTOMATIC_DISCOVERY_RANGE", "MOON"}});
            }).code(),
            ErrorCode::invalid);
}

}  // namespace
}  // namespace kitbag::ros2
