// Every format that can be written to every other and back: the digest stays, and what both can
// hold of the channels.

#include <gtest/gtest.h>

#include "kitbag/kitbag.h"
#include "tests/support/bags.h"

namespace kitbag::testing {
namespace {

const char* const kTransientLocal =
    "- history: 1\n  depth: 1\n  reliability: 1\n  durability: 1\n  deadline:\n    sec: 0\n"
    "    nsec: 0\n  lifespan:\n    sec: 0\n    nsec: 0\n  liveliness: 0\n"
    "  liveliness_lease_duration:\n    sec: 0\n    nsec: 0\n"
    "  avoid_ros_namespace_conventions: false";

/// What a world's recorder would write: ROS 1's channels, or ROS 2's.
ChannelsPtr ros2_channels() {
  auto channels = std::make_shared<Channels>();
  for (std::uint32_t slot = 0; slot < 3; ++slot) {
    auto channel = std::make_shared<Channel>();
    channel->slot = slot;
    channel->topic = slot == 0 ? "/chatter" : slot == 1 ? "/map" : "/imu";
    channel->encoding = "cdr";
    channel->schema = std::make_shared<const Schema>(
        Schema{slot == 2 ? "sensor_msgs/msg/Imu" : "std_msgs/msg/String", "ros2msg",
               slot == 2 ? "float64 x\n" : "string data\n"});
    channel->metadata["topic_type_hash"] =
        "RIHS01_" + std::string(64, static_cast<char>('a' + slot));
    if (slot == 1) channel->metadata["offered_qos_profiles"] = kTransientLocal;
    channels->push_back(std::move(channel));
  }
  return channels;
}

std::vector<TestMessage> messages() {
  std::vector<TestMessage> all;
  for (std::uint32_t i = 0; i < 150; ++i) {
    all.push_back({i % 3, 1'700'000'000'000'000'000 + std::int64_t{i} * 1'000,
                   std::string(i, static_cast<char>('a' + i % 26))});
  }
  return all;
}

/// Topic, type and digest; a bag of another format may have more channels for the same.
using Digest = std::vector<std::tuple<std::string, std::string, std::uint64_t, std::string>>;

Digest digest_of(const Bag& bag) {
  Digest all;
  for (const TopicDigest& one : digest(*bag.read())) {
    all.emplace_back(one.topic, one.type, one.messages, one.sha256);
  }
  return all;
}

class Matrix : public ::testing::TestWithParam<FormatCase> {
 protected:
  /// A copy of `bag` in the format `to`, in `folder_`; empty where the format cannot hold it.
  std::string convert(const Bag& bag, const FormatCase& to, const std::string& name) {
    std::string path = folder_ / (name + (to.is_directory ? "/" : ""));
    auto writer = session_.create(path, to.options(4'000));
    auto source = bag.read();
    run(*source, *writer, *clock_);
    writer->close();
    return path;
  }
  BagPtr open_at(const std::string& path) { return session_.open(path); }

  TempFolder folder_;
  Session session_;
  ClockPtr clock_ = system_clock();
};

/// A format that holds only ROS 1's payloads.
bool holds_cdr(const FormatCase& format) {
  return format.version.holds_metadata;
}

TEST_P(Matrix, ToEveryOtherAndBackTheDigestStays) {
  const FormatCase& from = GetParam();
  for (const auto& channels : {from.channels(), ros2_channels()}) {
    bool is_cdr = channels->front()->encoding == "cdr";
    if (is_cdr && !holds_cdr(from)) continue;
    std::string name = is_cdr ? "cdr" : "ros1";
    StoredBag stored(from.format, from.options(4'000), messages(), channels,
                     from.is_directory ? 60 : SIZE_MAX);
    BagPtr original = stored.open();
    Digest expected = digest_of(*original);
    ASSERT_FALSE(expected.empty());
    for (const FormatCase& to : formats_and_directories()) {
      if (is_cdr && !holds_cdr(to)) continue;
      ::testing::TestParamInfo<FormatCase> info(to, 0);
      SCOPED_TRACE(name + " to " + case_name(info));
      BagPtr there = open_at(convert(*original, to, name + "_there_" + case_name(info)));
      ASSERT_EQ(digest_of(*there), expected);
      BagPtr back = open_at(convert(*there, from, name + "_back_" + case_name(info)));
      ASSERT_EQ(digest_of(*back), expected);
      if (!from.version.holds_metadata || !to.version.holds_metadata) continue;
      for (const ChannelPtr& channel : *original->summary().channels) {
        auto is_same_topic = [&](const ChannelPtr& other) {
          return other->topic == channel->topic && other->encoding == channel->encoding &&
                 is_latched(*other) == is_latched(*channel) && other->schema &&
                 *other->schema == *channel->schema;
        };
        const Channels& others = *back->summary().channels;
        ASSERT_TRUE(std::any_of(others.begin(), others.end(), is_same_topic)) << channel->topic;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Matrix, ::testing::ValuesIn(formats_and_directories()),
                         case_name);

}  // namespace
}  // namespace kitbag::testing
