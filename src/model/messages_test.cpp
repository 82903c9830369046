#include "kitbag/messages.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kitbag/error.h"
#include "tests/support/memory_source.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::memory_source;
using test::thrown_by;

TEST(Messages, ComeOneByOneOverBatches) {
  std::vector<std::string> seen;
  Messages messages(memory_source({{"/a", 1, "x"}, {"/b", 2, "y"}, {"/a", 3, "z"}},
                                  {.batch_messages = 2, .empty_reads = 1}));
  for (const Message& message : messages) {
    seen.push_back(message.channel->topic + std::string(as_text(message.data)));
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"/ax", "/by", "/az"}));
}

TEST(Messages, OfNothingThereAreNone) {
  for (const Message& message : Messages(memory_source({}))) {
    ADD_FAILURE() << message.channel->topic;
  }
}

TEST(Messages, WhatTheSourceThrowsTheyThrow) {
  Messages messages(
      memory_source({{"/a", 1, "x"}, {"/a", 2, "y"}}, {.batch_messages = 1, .fails_at = 1}));
  auto at = messages.begin();
  EXPECT_EQ(as_text(at->data), "x");
  EXPECT_EQ(thrown_by([&] { ++at; }).code(), ErrorCode::corrupt);
}

}  // namespace
}  // namespace kitbag
