#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "kitbag/error.h"
#include "kitbag/live_topics.h"
#include "kitbag/rosbag2.h"

// DDS connects a publisher and a subscriber if the publisher offers at least what the subscriber
// requests (DDS 1.4, 2.2.3). What does not connect is silent: neither side gets a message, and a
// tool that only lists names shows nothing wrong. History and lifespan are nobody's request.

namespace kitbag {

namespace {

using rosbag2::QosProfile;
using rosbag2::QosTime;

/// Thousands of endpoints on one topic would make millions of pairs.
constexpr std::size_t kMostConflicts = 1000;
constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
constexpr std::uint64_t kNoLimit = UINT64_MAX;

/// In nanoseconds. No limit is written as zero, and by DDS as the largest number of some width.
std::uint64_t nanoseconds_of(const QosTime& time) {
  bool is_unlimited = (time.sec == 0 && time.nsec == 0) || time.sec >= INT32_MAX;
  return is_unlimited ? kNoLimit : time.sec * kNsPerSecond + std::min(time.nsec, kNsPerSecond);
}

std::optional<QosProfile> profile_of(const LiveEndpoint& endpoint) {
  try {
    auto profiles = rosbag2::parse_qos(endpoint.qos);
    if (!profiles.empty()) return profiles.front();
  } catch (const Error& error) {
    if (is_final(error.code())) throw;  // the system has no memory, or the like
  }
  return std::nullopt;
}

/// The first policy of which less is offered than is requested; "" if there is none.
std::string conflict(const QosProfile& offered, const QosProfile& requested) {
  if (requested.reliability == QosProfile::kReliable &&
      offered.reliability == QosProfile::kBestEffort) {
    return "reliability";
  }
  if (requested.durability == QosProfile::kTransientLocal &&
      offered.durability == QosProfile::kVolatile) {
    return "durability";
  }
  if (nanoseconds_of(offered.deadline) > nanoseconds_of(requested.deadline)) return "deadline";
  bool is_less_alive = offered.liveliness < requested.liveliness ||
                       nanoseconds_of(offered.liveliness_lease_duration) >
                           nanoseconds_of(requested.liveliness_lease_duration);
  return is_less_alive ? "liveliness" : "";
}

void add(std::string& words, const std::string& word) {
  if (!words.empty()) words += ", ";
  words += word;
}

void add_time(std::string& words, const char* name, const QosTime& time) {
  std::uint64_t ns = nanoseconds_of(time);
  if (ns != kNoLimit) add(words, fmt::format("{} {} s", name, static_cast<double>(ns) / 1e9));
}

}  // namespace

std::vector<QosConflict> qos_conflicts(const LiveTopic& topic) {
  std::vector<QosConflict> conflicts;
  std::vector<std::optional<QosProfile>> requested;
  requested.reserve(topic.subscribers.size());
  for (const LiveEndpoint& each : topic.subscribers) requested.push_back(profile_of(each));
  for (std::size_t publisher = 0; publisher < topic.publishers.size(); ++publisher) {
    auto offered = profile_of(topic.publishers[publisher]);
    if (!offered) continue;
    for (std::size_t subscriber = 0; subscriber < requested.size(); ++subscriber) {
      if (!requested[subscriber]) continue;
      std::string policy = conflict(*offered, *requested[subscriber]);
      if (policy.empty()) continue;
      conflicts.push_back({publisher, subscriber, std::move(policy)});
      if (conflicts.size() == kMostConflicts) return conflicts;
    }
  }
  return conflicts;
}

std::string describe_qos(const LiveEndpoint& endpoint) {
  auto profile = profile_of(endpoint);
  if (!profile) return {};
  std::string words;
  if (profile->reliability == QosProfile::kReliable) add(words, "reliable");
  if (profile->reliability == QosProfile::kBestEffort) add(words, "best effort");
  if (profile->durability == QosProfile::kTransientLocal) add(words, "transient local");
  if (profile->durability == QosProfile::kVolatile) add(words, "volatile");
  if (profile->history == QosProfile::kKeepAll) add(words, "keep all");
  if (profile->history == QosProfile::kKeepLast) {
    add(words, fmt::format("keep last {}", profile->depth));
  }
  if (profile->liveliness == QosProfile::kManualByNode) add(words, "manual by node");
  if (profile->liveliness == QosProfile::kManualByTopic) add(words, "manual by topic");
  add_time(words, "deadline", profile->deadline);
  add_time(words, "lifespan", profile->lifespan);
  add_time(words, "lease", profile->liveliness_lease_duration);
  return words;
}

}  // namespace kitbag
