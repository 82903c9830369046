#include "transport/ros2/profiles.h"

#include <algorithm>

namespace kitbag::ros2 {

using rosbag2::QosProfile;
using rosbag2::QosTime;

namespace {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

}  // namespace

std::int64_t nanoseconds_of(const QosTime& time) {
  constexpr auto kMost = static_cast<std::uint64_t>(kUnlimitedNs);
  bool is_unlimited = (time.sec == 0 && time.nsec == 0) || time.sec > kMost / kNsPerSecond - 1;
  // RTPS says infinity as the largest seconds of 32 bits; some bags have it so.
  if (is_unlimited || time.sec >= INT32_MAX) return kUnlimitedNs;
  return static_cast<std::int64_t>(time.sec * kNsPerSecond + std::min(time.nsec, kNsPerSecond - 1));
}

QosTime qos_time_of(std::int64_t ns) {
  auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0));
  return {count / kNsPerSecond, count % kNsPerSecond};
}

QosProfile merge(const std::vector<QosProfile>& offered) {
  QosProfile merged;
  if (offered.empty()) return merged;
  merged = offered.front();
  auto shorter = [](const QosTime& a, const QosTime& b) {
    return nanoseconds_of(b) < nanoseconds_of(a) ? b : a;
  };
  for (const QosProfile& profile : offered) {
    // The stricter one each time: a subscriber that matched any of them matches the result.
    if (profile.reliability != QosProfile::kBestEffort) merged.reliability = profile.reliability;
    if (profile.durability == QosProfile::kTransientLocal) merged.durability = profile.durability;
    if (profile.history == QosProfile::kKeepAll) merged.history = profile.history;
    merged.depth = std::max(merged.depth, profile.depth);
    merged.deadline = shorter(merged.deadline, profile.deadline);
    merged.liveliness = std::max(merged.liveliness, profile.liveliness);
    merged.liveliness_lease_duration =
        shorter(merged.liveliness_lease_duration, profile.liveliness_lease_duration);
  }
  return merged;
}

}  // namespace kitbag::ros2
