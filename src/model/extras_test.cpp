#include "model/extras.h"

#include <gtest/gtest.h>

namespace kitbag {
namespace {

Extra attachment_at(std::int64_t ns) {
  return Attachment{.name = "a", .media_type = {}, .log_time = from_ns(ns), .data = nullptr};
}

TEST(Extras, AttachmentsAreSelectedByLogTimeAndOthersAlways) {
  std::vector<Extra> all = {attachment_at(1), attachment_at(5), attachment_at(9),
                            Metadata{"site", {}}, PrivateRecord{"mcap", 0x80, nullptr}};
  auto selected = select_extras(all, {.select = {}, .begin = from_ns(5), .end = from_ns(9)});
  ASSERT_EQ(selected.size(), 3U);
  EXPECT_EQ(std::get<Attachment>(selected[0]).log_time, from_ns(5));
  EXPECT_EQ(select_extras(all, {}).size(), 5U);
}

TEST(Extras, AttachmentsWhoseTimeIsNotKnownAreAlwaysSelected) {
  EXPECT_EQ(select_extras({attachment_at(0)}, {.begin = from_ns(5), .end = from_ns(9)}).size(), 1U);
}

TEST(Extras, WhatIsLeftOutIsToldOnceWithItsNumbers) {
  LeftOutExtras left_out;
  left_out.add({attachment_at(1), attachment_at(2), Metadata{"site", {}}});
  left_out.add(Message{nullptr, 7, 0, from_ns(1), from_ns(1), {}});
  left_out.add(Message{nullptr, 0, 0, from_ns(1), from_ns(1), {}});
  std::vector<std::string> told;
  left_out.tell("rosbag 2.0", "x.bag", [&](const Error& e) { told.emplace_back(e.what()); });
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0],
            "x.bag: rosbag 2.0 cannot store the following; left out: 2 attachments, 1 metadata "
            "record, 1 sequence number");
}

TEST(Extras, NothingLeftOutIsNotTold) {
  LeftOutExtras().tell("rosbag 2.0", "x.bag", [](const Error& e) { FAIL() << e.what(); });
}

}  // namespace
}  // namespace kitbag
