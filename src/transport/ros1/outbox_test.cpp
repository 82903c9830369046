#include "transport/ros1/outbox.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace kitbag::ros1 {
namespace {

TEST(Ros1Outbox, HasRoomForSoManyMessagesAndBytes) {
  Outbox outbox;
  for (std::int64_t i = 0; i < Outbox::kMostMessages; ++i) {
    EXPECT_TRUE(outbox.has_room(1));
    outbox.add(1);
  }
  EXPECT_FALSE(outbox.has_room(1));
  outbox.remove(1);
  EXPECT_TRUE(outbox.has_room(1));
  EXPECT_FALSE(outbox.has_room(Outbox::kMostBytes));
  EXPECT_EQ(outbox.messages(), Outbox::kMostMessages - 1);
  EXPECT_EQ(outbox.freed(), 1U);
}

TEST(Ros1Outbox, AMessageThatIsTooLargeHasRoomAlone) {
  Outbox outbox;
  EXPECT_TRUE(outbox.has_room(2 * Outbox::kMostBytes));
  outbox.add(1);
  EXPECT_FALSE(outbox.has_room(2 * Outbox::kMostBytes));
}

TEST(Ros1Outbox, WhatLatchedTopicsKeepTakesNoRoom) {
  Outbox outbox;
  auto send = [&](std::size_t bytes, std::size_t before, bool is_first) {
    outbox.keep(bytes, before, is_first);
    outbox.add(bytes);
  };
  send(Outbox::kMostBytes, 0, true);
  EXPECT_EQ(outbox.messages(), 0);
  EXPECT_TRUE(outbox.has_room(Outbox::kMostBytes));
  send(10, Outbox::kMostBytes, false);  // the first one waits for a subscriber
  EXPECT_EQ(outbox.messages(), 1);
  EXPECT_FALSE(outbox.has_room(1));
  outbox.remove(Outbox::kMostBytes);
  EXPECT_EQ(outbox.messages(), 0);
  EXPECT_TRUE(outbox.has_room(Outbox::kMostBytes));
}

TEST(Ros1Outbox, CountsWhatPeersOfAPortHaveNotConfirmed) {
  int server = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(server, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(server, 1), 0);
  ASSERT_EQ(getsockname(server, reinterpret_cast<sockaddr*>(&address), &size), 0);
  int peer = socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_EQ(connect(peer, reinterpret_cast<sockaddr*>(&address), size), 0);
  int accepted = accept(server, nullptr, nullptr);
  unsigned port = ntohs(address.sin_port);
  EXPECT_EQ(unconfirmed_bytes(port), 0U);
  std::string block(1 << 20, 'x');
  while (send(accepted, block.data(), block.size(), MSG_DONTWAIT) > 0) {
  }
  EXPECT_GT(unconfirmed_bytes(port), 0U);
  EXPECT_EQ(unconfirmed_bytes(port + 1U), 0U);
  for (ssize_t got = 1; got > 0 && unconfirmed_bytes(port) > 0;) {
    got = recv(peer, block.data(), block.size(), 0);
  }
  EXPECT_EQ(unconfirmed_bytes(port), 0U);
  for (int file : {accepted, peer, server}) close(file);
}

}  // namespace
}  // namespace kitbag::ros1
