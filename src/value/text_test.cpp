#include <gmock/gmock.h>

#include <cmath>

#include "kitbag/error.h"
#include "kitbag/open.h"
#include "kitbag/transcode.h"
#include "kitbag/value_text.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr const char* kFields =
    "Header header\n"
    "string text\n"
    "bool flag\n"
    "int8 small\n"
    "uint64 large\n"
    "float64 real\n"
    "uint8[] data\n"
    "float64[3] fixed\n"
    "Point[] points\n"
    "time at\n"
    "duration took\n"
    "================================================================================\n"
    "MSG: std_msgs/Header\n"
    "uint32 seq\ntime stamp\nstring frame_id\n"
    "================================================================================\n"
    "MSG: test_msgs/Point\n"
    "float64 x\nfloat64 y\n";

class ValueTexts : public testing::Test {
 protected:
  static TypePtr type_of_text(const std::string& text) {
    Channel channel{"/test", "ros1",
                    std::make_shared<Schema>(Schema{"test_msgs/Test", "ros1msg", text})};
    return type_of(channel, Session(standard_registry()));
  }
  Value value(std::vector<std::string> texts) {
    return parse_value(texts, *type_, now_, &uses_now_);
  }
  std::string refusal(const std::string& text) {
    Error error = test::thrown_by([&] { value({text}); });
    EXPECT_EQ(error.code(), ErrorCode::invalid) << error.message();
    return error.message();
  }

  TypePtr type_ = type_of_text(kFields);
  Time now_{1'000'500ms};
  bool uses_now_ = false;
};

TEST_F(ValueTexts, FieldsByNameAndDefaultsForTheRest) {
  Value v = value({"{text: yes, flag: yes, small: -128, large: 18446744073709551615, real: 1e3}"});
  EXPECT_EQ(v.get<std::string>("text"), "yes");
  EXPECT_TRUE(v.get<bool>("flag"));
  EXPECT_EQ(v.get<int>("small"), -128);
  EXPECT_EQ(v.get<std::uint64_t>("large"), UINT64_MAX);
  EXPECT_EQ(v.get<double>("real"), 1000);
  EXPECT_EQ(v.get("points").size(), 0U);
  EXPECT_EQ(v.get("fixed").size(), 3U);
  EXPECT_FALSE(uses_now_);
  EXPECT_EQ(value({}), value({"{}"}));
  EXPECT_EQ(value({}), value({""}));
}

TEST_F(ValueTexts, JsonToo) {
  Value v = value({R"({"text":"a \"b\" é","points":[{"x":1.5},{"y":-2}],"fixed":[1,2,3]})"});
  EXPECT_EQ(v.get<std::string>("text"), "a \"b\" é");
  EXPECT_EQ(v.get<double>("points[0].x"), 1.5);
  EXPECT_EQ(v.get<double>("points[1].y"), -2);
  EXPECT_EQ(v.get<double>("fixed[2]"), 3);
}

TEST_F(ValueTexts, TheTypeSaysWhatAScalarIs) {
  EXPECT_EQ(value({"text: 1.0"}).get<std::string>("text"), "1.0");
  EXPECT_EQ(value({"text: ~"}).get<std::string>("text"), "");
  EXPECT_EQ(value({"small: 0x7f"}).get<int>("small"), 127);
  EXPECT_EQ(value({"real: 5"}).get<double>("real"), 5);
  EXPECT_TRUE(std::isnan(value({"real: .nan"}).get<double>("real")));
  EXPECT_EQ(value({"real: -inf"}).get<double>("real"), -INFINITY);
  EXPECT_FALSE(value({"flag: 0"}).get<bool>("flag"));
}

TEST_F(ValueTexts, BytesAreAListOrBase64) {
  for (const char* text : {"data: [1, 2, 255]", "data: AQL/"}) {
    Value data = value({text}).get("data");
    ASSERT_EQ(data.size(), 3U) << text;
    EXPECT_EQ(data.at(2).as<int>(), 255);
  }
}

TEST_F(ValueTexts, TimesHaveWords) {
  auto stamp = [&](const std::string& text) {
    return value({"header: {stamp: " + text + "}"}).get("header.stamp").nanoseconds();
  };
  EXPECT_EQ(stamp("now"), to_ns(now_));
  EXPECT_TRUE(uses_now_);
  EXPECT_EQ(stamp("auto"), to_ns(now_));
  EXPECT_EQ(stamp("+5s"), to_ns(now_ + 5s));
  EXPECT_TRUE(uses_now_);
  EXPECT_EQ(stamp("1970-01-01T00:00:02Z"), 2'000'000'000);
  EXPECT_FALSE(uses_now_);
  EXPECT_EQ(stamp("1.5"), 1'500'000'000);
  for (const char* two :
       {"{sec: 1, nsec: 2}", "{secs: 1, nsecs: 2}", "{sec: 1, nanosec: 2}", "[1, 2]"}) {
    EXPECT_EQ(stamp(two), 1'000'000'002) << two;
  }
  EXPECT_EQ(value({"took: 1.5s"}).get("took").nanoseconds(), 1'500'000'000);
  for (const char* header : {"header: now", "header: auto"}) {
    EXPECT_EQ(value({header}).get("header.stamp").nanoseconds(), to_ns(now_)) << header;
  }
  EXPECT_EQ(value({"text: now"}).get<std::string>("text"), "now");
  EXPECT_FALSE(uses_now_);
}

TEST_F(ValueTexts, FieldsInTheirOrder) {
  EXPECT_EQ(value({"points: [[1, 2], [3, 4]]"}).get<double>("points[1].x"), 3);
  type_ = type_of_text("int32 a\nstring b\n");
  Value v = value({"7", "eight"});
  EXPECT_EQ(v.get<int>("a"), 7);
  EXPECT_EQ(v.get<std::string>("b"), "eight");
  EXPECT_EQ(value({"[7, eight]"}), v);
  EXPECT_THAT(test::thrown_by([&] {
                value({"1", "2", "3"});
              }).message(),
              HasSubstr("expected 2 values for the fields of test_msgs/Test, got 3"));
  type_ = type_of_text("string data\n");
  EXPECT_EQ(value({"hello world"}).get<std::string>("data"), "hello world");
  EXPECT_EQ(value({"5"}).get<std::string>("data"), "5");
}

TEST_F(ValueTexts, WhatDoesNotFitIsRefusedWithItsPlace) {
  EXPECT_THAT(refusal("small: 128"), HasSubstr("small: expected int8, got 128"));
  EXPECT_THAT(refusal("small: 1.5"), HasSubstr("small: expected int8, got \"1.5\""));
  EXPECT_THAT(refusal("flag: maybe"), HasSubstr("flag"));
  EXPECT_THAT(refusal("points: [{x: 1}, {x: far}]"), HasSubstr("points[1].x"));
  EXPECT_THAT(refusal("fixed: [1, 2]"), HasSubstr("fixed"));
  EXPECT_THAT(refusal("tex: a"), HasSubstr("tex"));
  EXPECT_THAT(refusal("{text: a, text: b}"), HasSubstr("twice"));
  EXPECT_THAT(refusal("text: [1]"), HasSubstr("text: expected string"));
  EXPECT_THAT(refusal("header: soon"), HasSubstr("header: expected the fields of"));
  EXPECT_THAT(refusal("header: {stamp: soon}"), HasSubstr("header.stamp"));
  EXPECT_THAT(refusal("data: '###'"), HasSubstr("base64"));
  EXPECT_THAT(refusal("hello"), HasSubstr("expected the fields of"));
  EXPECT_THAT(refusal("{text: ["), HasSubstr("neither YAML nor JSON"));
}

TEST_F(ValueTexts, WhatIsTooMuchIsRefused) {
  std::string deep(100, '[');
  EXPECT_ERROR(limit, value({"points: " + deep + std::string(100, ']')}));
  type_ = type_of_text("uint8[100000000] zeros\n");
  EXPECT_ERROR(limit, value({}));
}

}  // namespace
}  // namespace kitbag
