#include "transport/ros2/reception.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace kitbag::ros2 {
namespace {

using testing::HasSubstr;

int buffer_of(int socket) {
  int bytes = 0;
  socklen_t size = sizeof bytes;
  getsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, &size);
  return bytes;
}

TEST(Ros2Reception, ASmallBufferIsToldWithTheRemedy) {
  EXPECT_THAT(buffer_warning(2 * 212992), HasSubstr("to 208 KiB"));
  EXPECT_THAT(buffer_warning(2 * 212992), HasSubstr("sysctl -w net.core.rmem_max=33554432"));
  EXPECT_EQ(buffer_warning(2 * (4 << 20)), "");
}

TEST(Ros2Reception, NewSocketsGetLargerBuffersAndOthersStay) {
  int old = socket(AF_INET, SOCK_DGRAM, 0);
  Reception reception(false);
  int made = socket(AF_INET, SOCK_DGRAM, 0);
  int before = buffer_of(made);
  reception.prepare();
  EXPECT_GT(buffer_of(made), before) << "net.core.rmem_max is twice that, as Linux counts";
  EXPECT_EQ(buffer_of(old), before);
  // The warning gives what the system grants.
  EXPECT_EQ(reception.warning(), buffer_warning(static_cast<std::size_t>(buffer_of(made))));
  close(made);
  close(old);
}

TEST(Ros2Reception, WhatTheUserHasChosenStays) {
  Reception reception(true);
  int made = socket(AF_INET, SOCK_DGRAM, 0);
  int before = buffer_of(made);
  reception.prepare();
  EXPECT_EQ(buffer_of(made), before);
  close(made);
}

TEST(Ros2Reception, WithoutSocketsThereIsNothingToTell) {
  Reception reception(false);
  reception.prepare();
  EXPECT_EQ(reception.warning(), "");
}

}  // namespace
}  // namespace kitbag::ros2
