#include "kitbag/open.h"
#include "kitbag/session.h"

#include <gmock/gmock.h>

#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

TEST(PathOf, APathIsItself) {
  for (std::string path : {"run.bag", "/data/run.bag", "../100%25.bag", "a:b.bag", "://x", "1x://y",
                           "dir/x://y", ""}) {
    EXPECT_EQ(Session().path_of(path), path);
  }
}

TEST(PathOf, FileUrisAreDecoded) {
  EXPECT_EQ(Session().path_of("file:///data/run.bag"), "/data/run.bag");
  EXPECT_EQ(Session().path_of("file://localhost/data/run.bag"), "/data/run.bag");
  EXPECT_EQ(Session().path_of("file:///my%20runs/%C3%BCber%2fsicht.bag"),
            "/my runs/\xC3\xBC"
            "ber/sicht.bag");
}

TEST(PathOf, APercentThatIsNoCodeStays) {
  EXPECT_EQ(Session().path_of("file:///100%.bag"), "/100%.bag");
  EXPECT_EQ(Session().path_of("file:///a%4"), "/a%4");
  EXPECT_EQ(Session().path_of("file:///a%g1%"), "/a%g1%");
}

TEST(PathOf, RefusesOtherSchemesByName) {
  Error error = test::thrown_by([] { Session().path_of("gs://bucket/run.bag"); });
  EXPECT_EQ(error.code(), ErrorCode::unsupported);
  EXPECT_EQ(error.file(), "gs://bucket/run.bag");
  EXPECT_THAT(error.message(), testing::HasSubstr("gs://"));
}

TEST(PathOf, TheUriOfAFileSystemIsItself) {
  EXPECT_EQ(Session().path_of("memory://a%20b/run.bag"), "memory://a%20b/run.bag");
}

TEST(PathOf, RefusesOtherMachines) {
  Error error = test::thrown_by([] { Session().path_of("file://server/run.bag"); });
  EXPECT_EQ(error.code(), ErrorCode::invalid);
}

TEST(WithParameter, IsReadAsItWasGiven) {
  std::string uri = with_parameter("ros2://7", "node", "box");
  EXPECT_EQ(uri, "ros2://7?node=box");
  uri = with_parameter(uri, "qos", "/my files/a&b=100%.yaml");
  auto location = location_of(uri);
  ASSERT_TRUE(location);
  EXPECT_EQ(location->path, "7");
  EXPECT_EQ(location->parameters.at("node"), "box");
  EXPECT_EQ(location->parameters.at("qos"), "/my files/a&b=100%.yaml");
}

}  // namespace
}  // namespace kitbag
