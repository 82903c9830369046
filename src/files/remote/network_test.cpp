#include "files/remote/network.h"

#include <gtest/gtest.h>

namespace kitbag::remote {
namespace {

TEST(Network, PublicAddressesAreReached) {
  for (const char* each :
       {"8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1",
        "192.167.1.1", "169.253.1.1", "223.255.255.255", "2600::1", "2a00:1450:4001::5",
        "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"}) {
    EXPECT_TRUE(may_be_reached(each, "")) << each;
  }
}

TEST(Network, AddressesOfThisMachineAndItsNetworkAreNot) {
  for (const char* each : {"127.0.0.1",
                           "127.255.255.254",
                           "0.0.0.0",
                           "10.0.0.1",
                           "172.16.0.1",
                           "172.31.255.255",
                           "192.168.1.1",
                           "169.254.169.254",
                           "100.64.0.1",
                           "192.0.0.8",
                           "198.18.0.1",
                           "224.0.0.1",
                           "255.255.255.255",
                           "::",
                           "::1",
                           "fe80::1",
                           "fe80::1%eth0",
                           "fc00::1",
                           "fd12::1",
                           "ff02::1",
                           "fec0::1",
                           "::ffff:127.0.0.1",
                           "::ffff:10.0.0.1",
                           "::127.0.0.1",
                           "64:ff9b::7f00:1",
                           "64:ff9b:1::1",
                           "2002:7f00:1::1",
                           "2001::1",
                           "2001:db8::1",
                           "localhost",
                           ""}) {
    EXPECT_FALSE(may_be_reached(each, "")) << each;
  }
}

TEST(Network, WhatIsNamedIsReached) {
  EXPECT_TRUE(may_be_reached("127.0.0.1", "127.0.0.1"));
  EXPECT_TRUE(may_be_reached("::1", "0:0:0:0:0:0:0:1"));
  EXPECT_FALSE(may_be_reached("127.0.0.2", "127.0.0.1"));
  EXPECT_FALSE(may_be_reached("::1", "127.0.0.1"));
}

}  // namespace
}  // namespace kitbag::remote
