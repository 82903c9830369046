#include "transport/ros2/profiles.h"

#include <gtest/gtest.h>

namespace kitbag::ros2 {
namespace {

using rosbag2::QosProfile;

TEST(Ros2Profiles, TimesAsBagsHaveThem) {
  EXPECT_EQ(nanoseconds_of({1, 5}), 1'000'000'005);
  EXPECT_EQ(nanoseconds_of({0, 5'000'000'000}), 999'999'999) << "no such nanoseconds";
  for (const rosbag2::QosTime& endless : {rosbag2::QosTime{0, 0},
                                          {9223372036, 854775807},
                                          {INT32_MAX, UINT32_MAX},
                                          {INT32_MAX, INT32_MAX},
                                          {UINT64_MAX, UINT64_MAX}}) {
    EXPECT_EQ(nanoseconds_of(endless), kUnlimitedNs) << endless.sec;
  }
  for (std::int64_t ns : {std::int64_t{1}, std::int64_t{2'500'000'000}, kUnlimitedNs}) {
    EXPECT_EQ(nanoseconds_of(qos_time_of(ns)), ns);
  }
}

TEST(Ros2Profiles, OneOfferIsAsStrictAsTheStrictest) {
  QosProfile sensor;
  sensor.reliability = QosProfile::kBestEffort;
  sensor.durability = QosProfile::kVolatile;
  sensor.depth = 5;
  sensor.deadline = {0, 100};
  QosProfile map;
  map.reliability = QosProfile::kReliable;
  map.durability = QosProfile::kTransientLocal;
  map.depth = 1;
  map.deadline = {2, 0};
  map.liveliness = QosProfile::kManualByTopic;
  map.liveliness_lease_duration = {3, 0};
  for (const auto& offered : {std::vector{sensor, map}, std::vector{map, sensor}}) {
    QosProfile merged = merge(offered);
    EXPECT_EQ(merged.reliability, QosProfile::kReliable);
    EXPECT_EQ(merged.durability, QosProfile::kTransientLocal);
    EXPECT_EQ(merged.depth, 5U);
    EXPECT_EQ(nanoseconds_of(merged.deadline), 100);
    EXPECT_EQ(merged.liveliness, QosProfile::kManualByTopic);
    EXPECT_EQ(nanoseconds_of(merged.liveliness_lease_duration), 3'000'000'000);
  }
  QosProfile keeping = map;
  keeping.history = QosProfile::kKeepAll;
  EXPECT_EQ(merge({map, keeping}).history, QosProfile::kKeepAll);
  EXPECT_EQ(merge({sensor}).reliability, QosProfile::kBestEffort);
  EXPECT_EQ(merge({}).reliability, QosProfile().reliability);
}

}  // namespace
}  // namespace kitbag::ros2
