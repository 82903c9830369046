#include "kitbag/align.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "columns/test_tables.h"
#include "kitbag/error.h"
#include "kitbag/session.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::Bytes;
using test::ListedSource;
using test::rows_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const char* const kDefinition =
    "Header header\nfloat64 v\nint32 n\nstring s\n"
    "================================================================================\n"
    "MSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n";

/// A message as a test makes it.
struct Made {
  std::size_t topic = 0;
  std::int64_t time = 0;  ///< log time
  std::int64_t stamp = 0;
  double v = 0;
  std::int32_t n = 0;

  std::string text() const { return "s" + std::to_string(n); }
  std::string payload() const {
    return Bytes()
        .put(1U)
        .put(0U)
        .put(static_cast<std::uint32_t>(stamp))
        .text("map")
        .put(v)
        .put(n)
        .text(text());
  }
};

std::string number(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// What align() is to give, computed by looking at all messages for each row.
class Naive {
 public:
  Naive(std::vector<Made> messages, const AlignRequest& request,
        const std::vector<std::string>& names)
      : request_(request), names_(names) {
    std::int64_t latest = -1'000'000'000;
    for (const Made& each : messages) {
      if (!is_read(names[each.topic])) continue;
      std::int64_t time = time_of(each);
      bool is_stamp = request.time == RowTime::header_stamp;
      if (is_stamp && time < latest - request.reorder_window.count()) continue;
      latest = std::max(latest, time);
      messages_.push_back(each);
    }
    std::stable_sort(messages_.begin(), messages_.end(),
                     [&](const Made& a, const Made& b) { return time_of(a) < time_of(b); });
  }

  std::vector<std::string> rows() const {
    std::vector<std::string> rows;
    const auto* topic = std::get_if<std::string>(&request_.clock);
    if (topic) {
      for (const Made& each : messages_) {
        if (names_[each.topic] == *topic) rows.push_back(row(time_of(each), &each));
      }
    } else if (!messages_.empty()) {
      const auto& rate = std::get<AlignRate>(request_.clock);
      auto step = std::llround(1e9 / rate.hz);
      bool has_begin = rate.begin != Time::min();
      std::int64_t begin = has_begin ? to_ns(rate.begin) : time_of(messages_.front());
      bool has_end = rate.end != Time::max();
      std::int64_t end = has_end ? to_ns(rate.end) : time_of(messages_.back()) + 1;
      for (; begin < end; begin += step) rows.push_back(row(begin, nullptr));
    }
    return rows;
  }

 private:
  std::int64_t time_of(const Made& made) const {
    return request_.time == RowTime::header_stamp ? made.stamp : made.time;
  }

  bool is_read(const std::string& name) const {
    const auto* clock = std::get_if<std::string>(&request_.clock);
    if (clock && *clock == name) return true;
    return std::any_of(request_.topics.begin(), request_.topics.end(),
                       [&](const AlignedTopic& topic) { return topic.topic == name; });
  }

  std::string row(std::int64_t time, const Made* own) const {
    std::string line = "time=" + std::to_string(time);
    for (const AlignedTopic& topic : request_.topics) {
      bool is_clock = own && names_[own->topic] == topic.topic;
      line += values(topic, time, is_clock ? own : nullptr);
    }
    return line;
  }

  std::string values(const AlignedTopic& topic, std::int64_t time, const Made* own) const {
    const Made* before = own;
    const Made* after = nullptr;
    for (const Made& each : messages_) {
      if (own || names_[each.topic] != topic.topic) continue;
      if (time_of(each) <= time) before = &each;
      if (time_of(each) > time && !after) after = &each;
    }
    auto is_near = [&](const Made* made) {
      return made && std::abs(time_of(*made) - time) <= topic.tolerance.count();
    };
    const Made* chosen = before;
    if (topic.method == AlignMethod::nearest && after) {
      if (!before || time_of(*after) - time < time - time_of(*before)) chosen = after;
    }
    std::optional<double> v;
    std::optional<double> n;
    if (is_near(chosen)) v = chosen->v, n = chosen->n;
    if (topic.method == AlignMethod::linear && before && !own && time_of(*before) != time) {
      v = n = std::nullopt;
      if (is_near(before) && is_near(after)) {
        double share = static_cast<double>(time - time_of(*before)) /
                       static_cast<double>(time_of(*after) - time_of(*before));
        v = before->v + (after->v - before->v) * share;
        n = before->n + (static_cast<double>(after->n) - before->n) * share;
      }
    }
    std::string name = " " + topic.topic;
    return name + ".v=" + (v ? number(*v) : "null") + name + ".n=" + (n ? number(*n) : "null") +
           name + ".s=" + (is_near(chosen) ? chosen->text() : "null");
  }

  const AlignRequest& request_;
  const std::vector<std::string>& names_;
  std::vector<Made> messages_;
};

class AlignTest : public ::testing::Test {
 protected:
  std::vector<std::string> rows(AlignRequest request) {
    request.on_warning = [this](const Error& warning) { warnings_.push_back(warning.message()); };
    auto source = std::make_unique<ListedSource>();
    for (const std::string& name : names_) source->add_channel(name, kDefinition);
    for (const Made& each : messages_) source->add(each.topic, each.time, each.payload());
    for (const auto& [topic, time] : damaged_) source->add(topic, time, "short");
    return rows_of(*align(std::move(source), request, session_));
  }

  Session session_;
  std::vector<std::string> names_ = {"/a", "/b", "/c"};
  std::vector<Made> messages_;
  std::vector<std::pair<std::size_t, std::int64_t>> damaged_;  ///< after `messages_`
  std::vector<std::string> warnings_;
};

const std::vector<std::string> kFields = {"v", "n", "s"};

TEST_F(AlignTest, RandomTopicsAreAsANaiveComputationSays) {
  std::mt19937 random(17);
  auto below = [&](int limit) {
    return std::uniform_int_distribution<int>(0, std::max(limit, 1) - 1)(random);
  };
  for (int round = 0; round < 200; ++round) {
    messages_.clear();
    int grid = 1 + below(20);  // a coarse one has many equal times
    for (std::size_t topic = 0; topic < names_.size(); ++topic) {
      int step = 1 + below(60);
      for (int time = below(100); time < 3000; time += below(2 * step)) {
        if (below(30) == 0) time += below(500);
        std::int64_t at = time / grid * grid;
        messages_.push_back({topic, at, std::max<std::int64_t>(at - below(80), 0),
                             static_cast<double>(below(1000)) / 8, below(1000) - 500});
        if (step == 1 && time % 3 == 0) ++time;
      }
    }
    std::stable_sort(messages_.begin(), messages_.end(),
                     [](const Made& a, const Made& b) { return a.time < b.time; });
    AlignRequest request;
    for (const std::string& name : names_) {
      Duration tolerance = below(3) == 0 ? Duration::max() : Duration(below(120));
      request.topics.push_back({name, kFields, static_cast<AlignMethod>(below(3)), tolerance});
    }
    if (below(2) == 0) {
      request.clock = names_[static_cast<std::size_t>(below(3))];
      if (below(3) == 0) request.topics.erase(request.topics.begin());
    } else {
      AlignRate rate{1e9 / (1 << below(8))};
      if (below(2) == 0) rate.begin = from_ns(below(3000) - 500);
      if (below(2) == 0) rate.end = from_ns(below(4000));
      request.clock = rate;
    }
    if (below(2) == 0) request.time = RowTime::header_stamp;
    request.reorder_window = Duration(below(100));
    request.batch_rows = static_cast<std::uint64_t>(1 + below(500));
    auto expected = Naive(messages_, request, names_).rows();
    auto found = rows(request);
    ASSERT_EQ(found.size(), expected.size()) << "round " << round;
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], expected[i]) << round;
  }
}

TEST_F(AlignTest, AnyNumberOfBatchesIsRead) {
  constexpr int kMessages = 20'000;  // 256 a batch
  for (int i = 0; i < kMessages; ++i) messages_.push_back({0, i, i, 1, i});
  AlignRequest request{.topics = {{.topic = "/a", .fields = {"n"}}}, .clock = "/a"};
  EXPECT_THAT(rows(request), SizeIs(kMessages));
}

TEST_F(AlignTest, NamesOfColumnsDiffer) {
  messages_ = {{0, 1, 0, 0.5, 2}};
  EXPECT_THAT(rows({.topics = {{"/a", {"v"}}, {"/a", {"v", "n"}}}, .clock = "/a"}),
              ElementsAre("time=1 /a.v=0.5 /a.v_=0.5 /a.n=2"));
}

TEST_F(AlignTest, WithoutFieldsAllOfThemAreTaken) {
  messages_ = {{0, 1, 7, 0.5, 2}, {1, 2, 0, 0, 0}};
  EXPECT_THAT(rows({.topics = {{"/a"}}, .clock = "/b"}),
              ElementsAre("time=2 /a.header={seq:1,stamp:7,frame_id:map} /a.v=0.5 /a.n=2 /a.s=s2"));
}

TEST_F(AlignTest, WhatIsNoNumberIsNotInterpolated) {
  messages_ = {{0, 0, 0, 1, 1}, {1, 1, 0, 0, 0}, {0, 4, 0, 2, 2}};
  EXPECT_THAT(rows({.topics = {{"/a", {"v", "s"}, AlignMethod::linear}}, .clock = "/b"}),
              ElementsAre("time=1 /a.v=1.25 /a.s=s1"));
  EXPECT_THAT(warnings_,
              ElementsAre("/a.s is not a number; its values are those of the message before"));
}

TEST_F(AlignTest, WhatComesTooLateIsLeftOutAndTold) {
  messages_ = {{0, 1, 100, 0, 1}, {0, 2, 250, 0, 2}, {0, 3, 149, 0, 3}, {0, 4, 150, 0, 4}};
  TranscodeReport report;
  AlignRequest request;
  request.topics = {{"/a", {"n"}}};
  request.clock = "/a";
  request.time = RowTime::header_stamp;
  request.reorder_window = Duration(100);
  request.report = &report;
  EXPECT_THAT(rows(request), ElementsAre("time=100 /a.n=1", "time=150 /a.n=4", "time=250 /a.n=2"));
  EXPECT_EQ(report.topics["/a"].skipped, 1U);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("/a: 1 messages are left out; their stamps are")));
}

TEST_F(AlignTest, DamagedMessagesAreHandledAsAsked) {
  messages_ = {{0, 1, 5, 0, 1}, {1, 2, 6, 0, 2}};
  damaged_ = {{0, 3}, {1, 4}};
  for (RowTime time : {RowTime::log_time, RowTime::header_stamp}) {
    AlignRequest request;
    request.topics = {{"/a", {"n"}}, {"/b", {"n"}}};
    request.clock = "/a";
    request.time = time;
    EXPECT_ERROR(truncated, rows(request));
    request.on_error = OnError::skip;
    std::string first = time == RowTime::log_time ? "time=1" : "time=5";
    EXPECT_THAT(rows(request), ElementsAre(first + " /a.n=1 /b.n=null"));
  }
  AlignRequest request{.topics = {{"/a", {"n"}}, {"/b", {"n"}}}, .clock = AlignRate{1e9}};
  request.on_error = OnError::raw;
  EXPECT_THAT(rows(request), ElementsAre("time=1 /a.n=1 /b.n=null", "time=2 /a.n=1 /b.n=2",
                                         "time=3 /a.n=null /b.n=2", "time=4 /a.n=null /b.n=null"));
}

TEST_F(AlignTest, WhatIsHeldIsBounded) {
  messages_ = {{0, 0, 0, 0, 0}};
  for (int i = 1; i < 5000; ++i) messages_.push_back({1, i, 0, 0, i});
  AlignRequest request;
  request.topics = {{"/a", {"v"}, AlignMethod::linear}, {"/b", {"s"}}};
  request.clock = "/b";
  request.held_bytes = 100'000;
  try {
    rows(request);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::limit);
    EXPECT_THAT(error.message(), HasSubstr("the next one of /a"));
  }
  request.topics[0].tolerance = Duration(100);
  EXPECT_THAT(rows(request), SizeIs(4999));
}

TEST_F(AlignTest, RequestsThatMakeNoSenseAreErrors) {
  EXPECT_ERROR(invalid, rows({.topics = {}, .clock = "/a"}));
  EXPECT_ERROR(invalid, rows({.topics = {{"/a", {"v["}}}, .clock = "/a"}));
  for (double hz : {0.0, -1.0, 2e9, std::nan("")}) {
    EXPECT_ERROR(invalid, rows({.topics = {{"/a"}}, .clock = AlignRate{hz}})) << hz;
  }
  EXPECT_ERROR(invalid,
               rows({.topics = {{"/a", {}, AlignMethod::nearest, Duration(-1)}}, .clock = "/a"}));
}

TEST_F(AlignTest, UnknownTopicsAndFieldsAreErrorsWithSimilarNames) {
  auto bag = session_.open("demo://?seconds=1");
  auto message = [&](const AlignRequest& request) -> std::string {
    try {
      align(*bag, {}, request, session_);
      return {};
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::not_found);
      return error.message();
    }
  };
  EXPECT_THAT(message({.topics = {{"/odon"}}, .clock = "/imu"}),
              HasSubstr("there is no topic \"/odon\"; similar topics: /odom"));
  EXPECT_THAT(message({.topics = {{"/odom"}}, .clock = "/im"}), HasSubstr("\"/im\""));
  EXPECT_THAT(message({.topics = {{"/odom", {"twist.twist.linear.q"}}}, .clock = "/imu"}),
              HasSubstr("twist.twist.linear.x"));
}

TEST_F(AlignTest, ABagIsAligned) {
  auto bag = session_.open("demo://?seconds=4&seed=7");
  AlignRequest request;
  request.topics = {{"/odom", {"pose.pose.position.x"}, AlignMethod::linear},
                    {"/battery", {"voltage"}, AlignMethod::nearest, std::chrono::seconds(1)}};
  request.clock = "/camera/image";
  for (RowTime time : {RowTime::log_time, RowTime::publish_time, RowTime::header_stamp}) {
    request.time = time;
    auto found = rows_of(*align(*bag, {}, request, session_));
    EXPECT_THAT(found, SizeIs(40));
    EXPECT_THAT(found.back(), HasSubstr(" /odom.pose.pose.position.x=3."));
    EXPECT_THAT(found.back(), HasSubstr(" /battery.voltage=25."));
  }
}

/// A part of a bag is read for a part of its time; the rows are those of the whole.
TEST_F(AlignTest, ARateWithABeginningGivesTheSameRows) {
  auto bag = session_.open("demo://?seconds=4&seed=7");
  Time start = bag->summary().start;
  AlignRequest request;
  request.topics = {
      {"/imu", {"linear_acceleration.x"}, AlignMethod::linear, std::chrono::milliseconds(50)}};
  request.clock = AlignRate{100, start, start + std::chrono::seconds(3)};
  auto all = rows_of(*align(*bag, {}, request, session_));
  ASSERT_THAT(all, SizeIs(300));
  request.clock =
      AlignRate{100, start + std::chrono::seconds(1), start + std::chrono::milliseconds(1500)};
  auto part = rows_of(*align(*bag, {}, request, session_));
  EXPECT_EQ(part, std::vector<std::string>(all.begin() + 100, all.begin() + 150));
}

}  // namespace
}  // namespace kitbag
