#include "transport/demo/transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kitbag/error.h"
#include "kitbag/session.h"
#include "tests/support/thrown_by.h"
#include "transport/demo/robot.h"

namespace kitbag::demo {
namespace {

using Seen = std::vector<std::tuple<std::string, std::int64_t, std::string>>;

BagPtr demo(std::map<std::string, std::string> parameters) {
  return transport().open({"demo://", "demo", "", std::move(parameters)}, Session(Registry()));
}

Seen read(const Bag& bag, const Query& query = {}) {
  Seen seen;
  auto source = bag.read(query);
  for (Batch batch; source->read(batch, {}); batch.clear()) {
    for (const Message& message : std::as_const(batch).messages()) {
      seen.emplace_back(message.channel->topic, to_ns(message.log_time),
                        std::string(as_text(message.data)));
    }
  }
  return seen;
}

TEST(Demo, TheSameSeedGivesTheSameBytes) {
  auto first = read(*demo({{"seconds", "2"}, {"seed", "7"}}));
  EXPECT_EQ(first, read(*demo({{"seconds", "2"}, {"seed", "7"}})));
  EXPECT_NE(first, read(*demo({{"seconds", "2"}, {"seed", "8"}})));
}

TEST(Demo, ItsSummaryIsWhatItGives) {
  BagPtr bag = demo({{"seconds", "3"}, {"imu", "33.3"}, {"image", "0"}});
  Seen seen = read(*bag);
  const Summary& summary = bag->summary();
  EXPECT_EQ(summary.messages, seen.size());
  EXPECT_EQ(to_ns(summary.start), std::get<1>(seen.front()));
  EXPECT_EQ(to_ns(summary.end), std::get<1>(seen.back()));
  for (const ChannelPtr& channel : *summary.channels) {
    auto count = std::count_if(seen.begin(), seen.end(), [&](const auto& each) {
      return std::get<0>(each) == channel->topic;
    });
    EXPECT_EQ(summary.message_counts[channel->slot], static_cast<std::uint64_t>(count));
    EXPECT_EQ(channel->topic != "/camera/image", count > 0);
  }
}

TEST(Demo, QueriesAnswerAsAListWould) {
  BagPtr bag = demo({{"seconds", "2"}});
  Seen all = read(*bag);
  Query query;
  query.order = Order::reverse_time;
  Seen backward = read(*bag, query);
  std::reverse(backward.begin(), backward.end());
  EXPECT_EQ(backward, all);
  Query part;
  part.begin = bag->summary().start + std::chrono::milliseconds(500);
  part.end = bag->summary().start + std::chrono::milliseconds(700);
  part.select.topics = {"/scan", "/odom"};
  part.nth = 3;
  part.count = 5;
  Seen expected;
  std::copy_if(all.begin(), all.end(), std::back_inserter(expected), [&](const auto& each) {
    Time time = from_ns(std::get<1>(each));
    const std::string& topic = std::get<0>(each);
    return time >= part.begin && time < part.end && (topic == "/scan" || topic == "/odom");
  });
  expected.erase(expected.begin(), expected.begin() + 3);
  expected.resize(5);
  EXPECT_EQ(read(*bag, part), expected);
}

TEST(Demo, TheScanSeesTheWallsOfTheMap) {
  World world(3);
  for (double seconds : {0.0, 7.5, 31.0}) {
    Pose pose = world.pose(seconds);
    EXPECT_FALSE(world.is_occupied(pose.at)) << "it drives into a wall at " << seconds;
    for (double angle = 0; angle < 6.28; angle += 0.1) {
      double range = world.distance(pose.at, angle, 30);
      auto at = [&](double far) {
        return Point{pose.at.x + far * std::cos(angle), pose.at.y + far * std::sin(angle)};
      };
      EXPECT_TRUE(world.is_occupied(at(range + 0.01)));
      EXPECT_FALSE(world.is_occupied(at(range - 0.01)));
    }
  }
}

TEST(Demo, TheRobotNeverDrivesIntoAnything) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    World world(seed);
    for (int i = 0; i < 600; ++i) ASSERT_FALSE(world.is_occupied(world.pose(i * 0.1).at)) << seed;
  }
}

TEST(Demo, OdometryGoesWhereItSaysItGoes) {
  World world(5);
  constexpr double kStep = 0.001;
  for (double seconds = 0; seconds < 60; seconds += 1.7) {
    Pose pose = world.pose(seconds);
    Pose later = world.pose(seconds + kStep);
    double moved = std::hypot(later.at.x - pose.at.x, later.at.y - pose.at.y);
    EXPECT_NEAR(moved / kStep, pose.speed, 0.01);
    double turned = std::remainder(later.heading - pose.heading, 2 * M_PI);
    EXPECT_NEAR(turned / kStep, pose.turn_rate, 0.01);
  }
}

TEST(Demo, RefusesWhatItDoesNotKnow) {
  EXPECT_ERROR(invalid, demo({{"nonsense", "1"}}));
  EXPECT_ERROR(invalid, demo({{"seconds", "many"}}));
  EXPECT_ERROR(invalid, demo({{"seconds", "-1"}}));
  EXPECT_ERROR(invalid, demo({{"imu", "1e9"}}));
  EXPECT_ERROR(invalid, transport().open({"demo://x", "demo", "x", {}}, Session(Registry())));
  EXPECT_TRUE(read(*demo({{"seconds", "0"}})).empty());
}

}  // namespace
}  // namespace kitbag::demo
