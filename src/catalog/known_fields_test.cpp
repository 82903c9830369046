#include "catalog/known_fields.h"

#include <gtest/gtest.h>

#include <string>

#include "payload/field_steps.h"

namespace kitbag::catalog {
namespace {

std::string lines_of_fields(std::size_t count) {
  std::string lines;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) lines += '\n';
    lines += 'f' + std::to_string(i);
  }
  return lines;
}

TEST(KnownFields, AreThoseThatAreListed) {
  KnownFields fields;
  EXPECT_FALSE(fields.may_have("x"));
  fields.add(SqlValue(std::string("poses\nposes[].x\nstamp")));
  EXPECT_TRUE(fields.may_have("poses.x"));
  EXPECT_FALSE(fields.may_have("x"));
  for (const char* part : {"sec", "secs", "seconds", "nsec", "nsecs", "nanosec", "nanos"}) {
    EXPECT_TRUE(fields.may_have(std::string("stamp.") + part)) << part;
  }
  fields.add(SqlValue());
  EXPECT_TRUE(fields.may_have("x"));
}

TEST(KnownFields, MayBeMoreWhereTheListWasCut) {
  KnownFields whole;
  whole.add(SqlValue(lines_of_fields(kMostPaths - 1)));
  EXPECT_FALSE(whole.may_have("x"));
  KnownFields cut;
  cut.add(SqlValue(lines_of_fields(kMostPaths)));
  EXPECT_TRUE(cut.may_have("x"));
  std::string deep = "a";
  for (std::size_t i = 0; i <= kMaxTypeDepth; ++i) deep += ".a";
  EXPECT_TRUE(whole.may_have(deep));
}

}  // namespace
}  // namespace kitbag::catalog
