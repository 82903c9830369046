#include "server/bags/events.h"

#include <gtest/gtest.h>

#include "kitbag/error.h"
#include "tests/support/thrown_by.h"

namespace kitbag::server {
namespace {

TEST(ParseEvents, OneOrAll) {
  SentEvents one = parse_events(R"({"start_time": 1700000000.123456789, "label": "x"})");
  EXPECT_FALSE(one.is_all);
  ASSERT_EQ(one.events.size(), 1U);
  EXPECT_EQ(one.events[0].start, from_ns(1'700'000'000'123'456'789));
  EXPECT_FALSE(one.events[0].end);
  EXPECT_TRUE(parse_events(R"({"events": []})").is_all);
}

TEST(EventsJson, IsParsedAgainAsItWas) {
  Event event{from_ns(5), from_ns(1'500'000'000), "a \"b\"", "line\nline", {{"key", "\u00e9"}}};
  std::string json = events_json({event, {from_ns(1), std::nullopt, "first"}});
  SentEvents parsed = parse_events(json);
  EXPECT_TRUE(parsed.is_all);
  ASSERT_EQ(parsed.events.size(), 2U);
  EXPECT_EQ(parsed.events[0].label, "first");
  EXPECT_EQ(parsed.events[1].end, event.end);
  EXPECT_EQ(parsed.events[1].label, event.label);
  EXPECT_EQ(parsed.events[1].description, event.description);
  EXPECT_EQ(parsed.events[1].metadata, event.metadata);
  EXPECT_EQ(events_json(parsed.events), json);
}

TEST(ParseEvents, WhatIsWrongIsRefused) {
  for (const char* json :
       {"", "[]", "7", "{", R"({"label": "x"})", R"({"start_time": 1})",
        R"({"start_time": "now", "label": "x"})", R"({"start_time": null, "label": "x"})",
        R"({"start_time": 2, "end_time": 1, "label": "x"})",
        R"({"start_time": 2, "label": "x", "color": "red"})",
        R"({"start_time": 2, "label": ["x"]})", R"({"start_time": 2, "label": ""})",
        R"({"start_time": 2, "label": "x", "metadata": {"a": {}}})",
        R"({"events": [], "label": "x"})", R"({"events": [1]})", "{\"label\": \"\xff\"}"}) {
    EXPECT_ERROR(invalid, parse_events(json)) << json;
  }
  EXPECT_ERROR(invalid, parse_events(std::string(100'000, '[')));
}

TEST(ParseEvents, HalfOfASurrogatePairIsRefused) {
  for (const char* half : {"a\\udd67", "\\ud83da"}) {
    for (const char* format :
         {R"("label": "%")", R"("label": "x", "description": "%")",
          R"("label": "x", "metadata": {"%": "y"})", R"("label": "x", "metadata": {"y": "%"})"}) {
      std::string json = std::string(R"({"start_time": 1, )") + format + "}";
      json.replace(json.find('%'), 1, half);
      EXPECT_ERROR(invalid, parse_events(json)) << json;
    }
  }
  EXPECT_EQ(parse_events(R"({"start_time": 1, "label": "\ud83d\ude00"})").events[0].label,
            "\U0001F600");
}

TEST(ParseEvents, LimitsAreKept) {
  EventLimits limits;
  limits.events = 1;
  limits.label_bytes = 3;
  limits.metadata_keys = 1;
  std::string event = R"({"start_time": 1, "label": "abc"})";
  EXPECT_EQ(parse_events(event, limits).events.size(), 1U);
  EXPECT_ERROR(limit, parse_events(R"({"events": [)" + event + "," + event + "]}", limits));
  EXPECT_ERROR(limit, parse_events(R"({"start_time": 1, "label": "abcd"})", limits));
  EXPECT_ERROR(limit, parse_events(R"({"start_time": 1, "label": "a", "metadata": )"
                                   R"({"a": "", "b": ""}})",
                                   limits));
}

}  // namespace
}  // namespace kitbag::server
