#include "payload/expression.h"

#include <gmock/gmock.h>

#include <cstring>
#include <string>
#include <vector>

#include "kitbag/codec.h"
#include "kitbag/fields.h"
#include "kitbag/session.h"
#include "payload/condition.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using ::testing::HasSubstr;

constexpr char kDefinition[] = R"(Header header
float64[] ranges
geometry_msgs/Point p
geometry_msgs/Point[] points
string[] names
int64 big
bool on
duration late
================================================================================
MSG: std_msgs/Header
uint32 seq
time stamp
string frame_id
================================================================================
MSG: geometry_msgs/Point
float64 x
float64 y
)";

std::string number(auto value) {
  std::string bytes(sizeof(value), '\0');
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}
std::string text(const std::string& value) {
  return number(static_cast<std::uint32_t>(value.size())) + value;
}
template <class T>
std::string list(std::initializer_list<T> values) {
  std::string bytes = number(static_cast<std::uint32_t>(values.size()));
  for (const T& value : values) bytes += number(value);
  return bytes;
}

/// seq 7, stamp 2001-09-09T01:46:40.5Z, frame base_link; ranges 1 2 4; p (3, 4);
/// points (1, 2) (5, 3); names ab, Z; big 2^53 + 1; on; late -1.5 s
std::string payload() {
  return number(std::uint32_t{7}) + number(std::uint32_t{1'000'000'000}) +
         number(std::uint32_t{500'000'000}) + text("base_link") + list({1.0, 2.0, 4.0}) +
         number(3.0) + number(4.0) + number(std::uint32_t{2}) + number(1.0) + number(2.0) +
         number(5.0) + number(3.0) + number(std::uint32_t{2}) + text("ab") + text("Z") +
         number((std::int64_t{1} << 53) + 1) + number(std::uint8_t{1}) + number(std::int32_t{-2}) +
         number(std::int32_t{500'000'000});
}

ChannelPtr channel_of(const std::string& definition) {
  auto channel = std::make_shared<Channel>();
  channel->topic = "/t";
  channel->encoding = "ros1";
  channel->schema = std::make_shared<const Schema>(Schema{"test_msgs/T", "ros1msg", definition});
  return channel;
}

bool is_true(const std::string& condition) {
  Session session;
  ChannelPtr channel = channel_of(kDefinition);
  std::string bytes = payload();
  Batch batch;
  batch.add({channel.get(), 0, 0, from_ns(3'000'000'000), from_ns(2), as_bytes(bytes)});
  auto stage = where(condition, OnError::stop, nullptr, session);
  if (!stage->map(channel)) return false;
  stage->apply(batch);
  return batch.messages().size() == 1;
}

std::string misfit(const std::string& condition) {
  Session session;
  try {
    require_condition(condition, {channel_of(kDefinition)}, session);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Expression, CalculatesAsPythonDoes) {
  for (const char* condition :
       {"1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "7 / 2 == 3.5",
        "7 // 2 == 3",
        "-7 // 2 == -4",
        "-7 % 3 == 2",
        "7 % -3 == -2",
        "-2 - -3 == 1",
        "2 * -3 == -6",
        "5.5 % 2 == 1.5",
        "header.seq % 7 == 0",
        "-header.seq == -7",
        "big == 9007199254740993",
        "big - 1 == 9007199254740992",
        "9223372036854775807 + 1 > 9.2e18",
        "1 < header.seq < 8",
        "not header.seq == 8 and (on or False)",
        "on == 1 && on",
        "header.seq in [1, 7]",
        "header.seq not in (1, 2,)",
        "18446744073709551615 > -1",
        "9223372036854775808 + 1 > 9223372036854775808",
        "18446744073709551615 - 9223372036854775807 == 9223372036854775808",
        "9223372036854775808 - 18446744073709551615 == -9223372036854775807",
        "18446744073709551615 // 3 == 6148914691236517205",
        "18446744073709551615 % 1000 == 615",
        "18446744073709551615 * 18446744073709551615 > 3.4e38",
        "9223372036854775808 // -1 == -9223372036854775808"}) {
    EXPECT_TRUE(is_true(condition)) << condition;
  }
  for (const char* condition : {"1 / 0 == 1", "1 % 0 == 0", "1 // 0 != 5", "8 < header.seq < 9"}) {
    EXPECT_FALSE(is_true(condition)) << condition;
  }
}

TEST(Expression, LooksForOneElementOfWhichAllIsTrue) {
  for (const char* condition : {"ranges > 3",
                                "ranges == 2",
                                "!(ranges == 3)",
                                "ranges * 2 == 8",
                                "ranges[0] == 1",
                                "ranges[-1] == 4",
                                "points.x > points.y",
                                "points[0].x == 1",
                                "points[-1].x == 5",
                                "points[].x == 5",
                                "min(ranges) == 1 && max(ranges) == 4",
                                "mean(ranges) * 3 == 7",
                                "sum(ranges) == 7",
                                "norm(p) == 5",
                                "norm(p.x, p.y) == 5",
                                "norm(points[1].x, 12) == 13",
                                "len(ranges) == 3",
                                "len(points) == 2",
                                "len(names) == 2",
                                "len(names[0]) == 2",
                                "len(header.frame_id) == 9",
                                "m.header.frame_id.len() == 9",
                                "max(p.x, p.y, 1) == 4",
                                "ranges - min(ranges) == 3",
                                "4 in ranges",
                                "sqrt(p.y) == 2",
                                "abs(0 - p.y) == 4"}) {
    EXPECT_TRUE(is_true(condition)) << condition;
  }
  for (const char* condition : {"points.x + points.y == 4", "ranges[3] > 0", "ranges[-4] > 0"}) {
    EXPECT_FALSE(is_true(condition)) << condition;
  }
}

TEST(Expression, ComparesTextsAndTimes) {
  for (const char* condition : {R"("base" in header.frame_id)",
                                R"(names == "Z")",
                                R"("Z" in names)",
                                R"(header.frame_id.startswith("base"))",
                                R"(endswith(header.frame_id, "link"))",
                                R"(header.frame_id =~ "^b.*k$")",
                                R"(topic == "/t" && type == "test_msgs/T")",
                                R"(header.stamp == "2001-09-09T01:46:40.5Z")",
                                R"(header.stamp > "1000000000")",
                                "to_sec(header.stamp) > 1e9",
                                "header.stamp.secs == 1000000000",
                                "t.to_sec() == 3",
                                "time - header.stamp < -100d",
                                "header.stamp + 500ms == \"1000000001\"",
                                "header.stamp.nsecs == 500000000",
                                "late < 0",
                                "late == -1.5",
                                "abs(late) == 1500ms",
                                "late < \"1s\"",
                                "late.to_nsec() == -1500000000",
                                "time < \"1970-01-01T00:00:04Z\"",
                                "late / 500ms == -3"}) {
    EXPECT_TRUE(is_true(condition)) << condition;
  }
  EXPECT_FALSE(is_true(R"("b" in names)")) << "a list has elements, not parts of texts";
}

/// Channels that lack a field stay where the topic decides without it.
TEST(Expression, AsksAChannelOnlyForWhatItsTopicLeavesOpen) {
  EXPECT_TRUE(is_true(R"(topic == "/t" || nothing > 1)"));
  EXPECT_TRUE(is_true(R"(nothing > 1 || type.startswith("test"))"));
  EXPECT_FALSE(is_true(R"(nothing > 1 && topic == "/t")"));
  EXPECT_TRUE(is_true("topic in ['/t', '/u']"));
  EXPECT_EQ(misfit(R"(topic != "/t" || header.seq > 1)"), "");
}

TEST(Expression, SaysWhatCannotBeMet) {
  EXPECT_THAT(misfit("header.sec > 1"), HasSubstr("has no field sec (in \"header.sec\"); similar: "
                                                  "header.seq"));
  EXPECT_THAT(misfit("header.stamp > 3"),
              HasSubstr("compare it with a time such as \"2026-01-01T00:00:00Z\", or its seconds: "
                        "to_sec(header.stamp)"));
  EXPECT_THAT(misfit(R"(header.seq > "a")"),
              HasSubstr("header.seq is a number and \"a\" is a text"));
  EXPECT_THAT(misfit("topic == '/x'"), HasSubstr("available topics: /t"));
  EXPECT_THAT(misfit("p == 1"), HasSubstr("p is a geometry_msgs/Point; name one of its fields: x"));
  EXPECT_THAT(misfit("header.seq"), HasSubstr("not true or false"));
  EXPECT_THAT(misfit("topic > 3"), HasSubstr("m.topic"));
  EXPECT_THAT(misfit("time > '+5s'"), HasSubstr("select a range of times"));
  EXPECT_THAT(misfit("norm(points) > 1"), HasSubstr("points[0]"));
  EXPECT_THAT(misfit("header.frame_id + 1 == 2"), HasSubstr("nothing can be calculated"));
  EXPECT_THAT(misfit("ranges in ranges"), HasSubstr("has several values"));
  EXPECT_THAT(misfit("big[0] == 2"), HasSubstr("big is no list"));
}

TEST(Expression, RefusesWhatNobodyWrites) {
  std::string many = "1";
  for (int i = 0; i < 2000; ++i) many += "+1";
  std::string chain = "x < 1";
  for (int i = 0; i < 40; ++i) chain = "1 < (" + chain + ") < 1";
  for (const std::string& condition :
       {std::string(1000, '(') + "x", std::string(1000, '!') + "x", std::string(1000, '-') + "x",
        many + " > x", chain, "x == \"" + std::string(30'000, 'x') + "\"",
        std::string("x =~ '(((a{100}){100}){100})'"), std::string("abs() > 1"),
        std::string("abs(1, 2) > 1"), std::string("nope(1) > 1"), std::string("x in [1"),
        std::string("x[1e5] > 2"), std::string("3x > 2")}) {
    EXPECT_ERROR(invalid, parse_expression(condition)) << condition.substr(0, 40);
  }
  EXPECT_NO_THROW(parse_expression("x in [1, 2,]"));
}

}  // namespace
}  // namespace kitbag
