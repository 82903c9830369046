#include "transport/broker/address.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "kitbag/error.h"
#include "kitbag/open.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag::broker {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Address address(const std::string& path) {
  return address_of({"mqtt://" + path, "mqtt", path, {}}, 1883);
}

TEST(Address, HasTheUsualPortAndNoPrefix) {
  Address found = address("broker");
  EXPECT_EQ(found.host, "broker");
  EXPECT_EQ(found.port, 1883);
  EXPECT_EQ(found.prefix, "");
  EXPECT_EQ(found.shown, "mqtt://broker");
}

TEST(Address, PrefixesHaveNoSlashesAtTheirEnds) {
  EXPECT_EQ(address("broker:7/a/b/").prefix, "a/b");
  EXPECT_EQ(address("broker:7/").prefix, "");
  EXPECT_EQ(address("[::1]:7/a").host, "::1");
  EXPECT_EQ(address("[::1]").port, 1883);
  EXPECT_EQ(address("broker:7/a@b").prefix, "a@b");
}

TEST(Address, WhatIsInvalidIsRefused) {
  for (const char* path : {"", "/a", ":7", "broker:", "broker:0", "broker:65536", "broker:7x",
                           "[::1", "[::1]7", "broker:-1"}) {
    EXPECT_EQ(test::thrown_by([&] { address(path); }).code(), ErrorCode::invalid) << path;
  }
}

TEST(Address, ThePasswordOfARefusedUserIsNotShown) {
  for (const char* user : {"joe:secret", "joe:se/cret", "joe:se@cret", "joe:/se/@cret", "joe"}) {
    Error error = test::thrown_by([&] { address(std::string(user) + "@broker:7/a"); });
    EXPECT_EQ(error.code(), ErrorCode::invalid) << user;
    EXPECT_THAT(error.what(), HasSubstr("mqtt://broker:7/a: user and password")) << user;
    for (const char* part : {"joe", "se", "cret"}) {
      std::string shown = error.what();
      EXPECT_THAT(shown.substr(0, shown.find(": user")), Not(HasSubstr(part))) << user;
    }
  }
}

class ParametersTest : public ::testing::Test {
 protected:
  Parameters given(std::map<std::string, std::string> parameters) {
    location_ = {"mqtt://x?y", "mqtt", "x", std::move(parameters)};
    return {location_, "mqtt://x", {"a", "b"}};
  }

  Location location_;
};

TEST_F(ParametersTest, UnknownOnesAreRefused) {
  Error error = test::thrown_by([&] { given({{"c", "value"}}); });
  EXPECT_THAT(error.what(), HasSubstr("unknown parameter \"c\"; supported parameters: a, b"));
  EXPECT_THAT(error.what(), Not(HasSubstr("value")));
}

TEST_F(ParametersTest, NumbersAndChoicesAreChecked) {
  EXPECT_EQ(given({{"a", "2"}}).number("a", 1, 0, 2), 2U);
  EXPECT_EQ(given({}).number("a", 1, 0, 2), 1U);
  for (const char* text : {"3", "-1", "x", "", "1 "}) {
    EXPECT_EQ(test::thrown_by([&] {
                given({{"a", text}}).number("a", 1, 0, 2);
              }).code(),
              ErrorCode::invalid)
        << text;
  }
  EXPECT_TRUE(given({{"a", "1"}}).choice("a", "0", "1"));
  EXPECT_FALSE(given({}).choice("a", "0", "1"));
  EXPECT_EQ(test::thrown_by([&] {
              given({{"a", "2"}}).choice("a", "0", "1");
            }).code(),
            ErrorCode::invalid);
}

TEST_F(ParametersTest, SecretsComeFromTheEnvironmentToo) {
  ::setenv("KITBAG_TEST_SECRET", "hidden", 1);
  EXPECT_EQ(given({}).secret("a", "KITBAG_TEST_SECRET"), "hidden");
  EXPECT_EQ(given({{"a", "given"}}).secret("a", "KITBAG_TEST_SECRET"), "given");
  ::unsetenv("KITBAG_TEST_SECRET");
  EXPECT_EQ(given({}).secret("a", "KITBAG_TEST_SECRET"), "");
}

TEST_F(ParametersTest, FilesMustBeThere) {
  TemporaryFolder folder;
  std::string path = folder.write("ca.pem", "x");
  EXPECT_EQ(given({{"a", path}}).file("a"), path);
  EXPECT_EQ(given({}).file("a"), "");
  Error error = test::thrown_by([&] { given({{"a", folder.path("none")}}).file("a"); });
  EXPECT_EQ(error.code(), ErrorCode::not_found);
  EXPECT_THAT(error.what(), HasSubstr(folder.path("none")));
}

}  // namespace
}  // namespace kitbag::broker
