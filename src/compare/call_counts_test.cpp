#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kitbag/calls.h"
#include "kitbag/error.h"
#include "kitbag/stream.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

constexpr const char* kType = "x/srv/T_Event";

/// One batch with events on a service and on an action's, and messages of a topic.
class EventSource final : public Source {
 public:
  EventSource() {
    auto channels = std::make_shared<Channels>();
    auto add = [&](const char* topic, const char* type, const char* encoding) {
      auto slot = static_cast<std::uint32_t>(channels->size());
      auto schema = std::make_shared<const Schema>(Schema{type, "ros2msg", ""});
      channels->push_back(
          std::make_shared<const Channel>(Channel{topic, encoding, schema, {}, slot}));
    };
    add("/add/_service_event", kType, "cdr");
    add("/dock/_action/send_goal/_service_event", "x/action/Dock_SendGoal_Event", "cdr");
    add("/dock/_action/status", "action_msgs/msg/GoalStatusArray", "cdr");
    add("/json/_service_event", kType, "json");
    channels_ = std::move(channels);
  }

  ChannelsPtr channels() const override { return channels_; }

  void add(std::size_t slot, char what, char client, char sequence) {
    std::string payload(44, '\0');
    payload[1] = 1;
    payload[4] = what;
    payload[16] = client;
    payload[36] = sequence;
    events_.emplace_back(slot, std::move(payload));
  }
  void add_damaged(std::size_t slot) { events_.emplace_back(slot, "short"); }

  bool read(Batch& batch, const Wait&) override {
    if (std::exchange(is_read_, true)) return false;
    batch.channels = channels_;
    for (const auto& [slot, payload] : events_) {
      batch.add(
          {(*channels_)[slot].get(), 0, 0, Time(), Time(), as_bytes(std::string_view(payload))});
    }
    return true;
  }

 private:
  ChannelsPtr channels_;
  std::vector<std::pair<std::size_t, std::string>> events_;
  bool is_read_ = false;
};

TEST(CallCounts, WhatBothSidesTellCountsOnce) {
  EventSource source;
  for (char what = 0; what <= 3; ++what) source.add(0, what, 1, 7);
  source.add(0, 1, 1, 8);
  source.add(0, 1, 2, 7);  // another client
  source.add_damaged(0);
  source.add(1, 1, 1, 1);
  source.add(2, 1, 1, 1);
  source.add(3, 1, 1, 1);
  auto counts = call_counts(source);
  ASSERT_EQ(counts.size(), 3U);
  EXPECT_EQ(counts[0].topic, "/add/_service_event");
  EXPECT_EQ(counts[0].requests, 3U);
  EXPECT_EQ(counts[0].responses, 1U);
  EXPECT_EQ(counts[0].unread, 1U);
  EXPECT_EQ(counts[1].topic, "/dock/_action/send_goal/_service_event");
  EXPECT_EQ(counts[1].requests, 1U);
  EXPECT_EQ(counts[2].requests, 0U);
  EXPECT_EQ(counts[2].unread, 1U);
}

TEST(CallCounts, AreCancelledOnStop) {
  std::stop_source stop;
  stop.request_stop();
  EventSource source;
  EXPECT_ERROR(cancelled, call_counts(source, stop.get_token()));
}

}  // namespace
}  // namespace kitbag
