#include "storage/writing/channel_places.h"

#include <gtest/gtest.h>

#include <functional>

namespace kitbag {
namespace {

class Places : public testing::Test {
 protected:
  ChannelPtr make(const std::string& topic, std::uint32_t slot) const {
    auto channel = std::make_shared<Channel>();
    channel->topic = topic;
    channel->slot = slot;
    return channel;
  }
  void declare(Channels channels) {
    places_.declare(std::make_shared<const Channels>(std::move(channels)), add_);
  }

  std::uint32_t added_ = 0;
  std::function<std::uint32_t(const ChannelPtr&)> add_ = [this](const ChannelPtr&) {
    return added_++;
  };
  ChannelPlaces places_;
};

TEST_F(Places, ATableGrows) {
  auto a = make("/a", 0);
  auto b = make("/b", 2);
  declare({a});
  declare({a, nullptr, b});
  EXPECT_EQ(places_[0], 0U);
  EXPECT_EQ(places_[1], ChannelPlaces::kNone);
  EXPECT_EQ(places_[2], 1U);
  EXPECT_EQ(added_, 2U);
}

TEST_F(Places, TwoTablesTakeTurns) {
  auto a = make("/a", 0);
  auto b = make("/b", 0);
  for (int i = 0; i < 3; ++i) {
    declare({a});
    EXPECT_EQ(places_[0], 0U);
    declare({b});
    EXPECT_EQ(places_[0], 1U);
  }
  EXPECT_EQ(added_, 2U);
}

TEST_F(Places, ACopyOfATableIsTheSameTable) {
  declare({make("/a", 0), make("/b", 1)});
  declare({make("/a", 0), make("/b", 1), make("/c", 2)});
  EXPECT_EQ(added_, 3U);
}

TEST_F(Places, AChannelByItselfHasThePlaceOfTheTable) {
  auto a = make("/a", 0);
  auto b = make("/b", 1);
  declare({a, b});
  EXPECT_EQ(places_.find(b, add_), 1U);
  EXPECT_EQ(places_.find(a, add_), 0U);
  EXPECT_EQ(places_.find(a, add_), 0U);
  auto twin = make("/a", 0);
  EXPECT_EQ(places_.find(twin, add_), 2U) << "two channels that say the same stay two";
}

}  // namespace
}  // namespace kitbag
