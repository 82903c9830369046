#include "cli/terminal/print.h"

#include <gtest/gtest.h>
#include <stdlib.h>

namespace kitbag::cli {
namespace {

TEST(Grouped, PutsCommasBetweenThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(8647), "8,647");
  EXPECT_EQ(grouped(UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(Counted, KnowsOneFromMany) {
  EXPECT_EQ(counted(1, "message"), "1 message");
  EXPECT_EQ(counted(0, "message"), "0 messages");
  EXPECT_EQ(counted(1200, "topic"), "1,200 topics");
}

TEST(Describe, CountsATopicOnce) {
  auto channel = [](const char* topic) {
    return std::make_shared<const Channel>(Channel{topic, "ros1", nullptr, {}, 0});
  };
  auto channels = std::make_shared<const Channels>(Channels{channel("/a"), nullptr, channel("/a")});
  EXPECT_EQ(describe({8647, 760'935}, channels), "8,647 messages, 1 topic, 743.1 KiB payload");
}

TEST(Styled, ColoursOnlyForATerminalThatWantsIt) {
  ::unsetenv("NO_COLOR");
  EXPECT_EQ(styled("x", Style::bold, false), "x");
  EXPECT_EQ(styled("x", Style::bold, true), "\x1b[1mx\x1b[0m");
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_EQ(styled("x", Style::bold, true), "x");
  ::unsetenv("NO_COLOR");
}

}  // namespace
}  // namespace kitbag::cli
