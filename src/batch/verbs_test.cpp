#include "batch/verbs.h"

#include <gtest/gtest.h>

#include "kitbag/error.h"
#include "tests/support/thrown_by.h"

namespace kitbag::batch {
namespace {

std::string target(const std::string& verb, const std::string& name, bool is_folder = false,
                   const std::string& format = {}) {
  static const Session session;
  return target_name({.verb = verb, .format = format}, name, is_folder, session);
}

TEST(TargetName, FollowsTheVerbAndTheFormat) {
  EXPECT_EQ(target("convert", "day/run.bag"), "day/run.bag");
  EXPECT_EQ(target("convert", "day/run.bag.gz", false, "mcap"), "day/run.mcap");
  EXPECT_EQ(target("convert", "day/run.bag.gz"), "day/run.bag");
  EXPECT_ERROR(invalid, target("convert", "day/run.bag.gz", false, "typo"));
  EXPECT_EQ(target("convert", "a.b/run", false, "mcap"), "a.b/run.mcap");
  EXPECT_EQ(target("convert", "day/run", true, "mcap"), "day/run/");
  EXPECT_EQ(target("repair", "run.bag"), "run.bag");
  EXPECT_EQ(target("export", "day/run.bag"), "day/run/");
  EXPECT_EQ(target("export", "day/run.x", true), "day/run.x/");
  EXPECT_EQ(target("check", "run.bag"), "run.bag.check.json");
  EXPECT_EQ(target("find", "run.bag"), "run.bag.found.jsonl");
}

TEST(TargetKind, IsOfVerbsThatABatchKnows) {
  EXPECT_EQ(target_kind("convert"), TargetKind::bag);
  EXPECT_EQ(target_kind("find"), TargetKind::text);
  EXPECT_ERROR(invalid, target_kind("filter"));
}

}  // namespace
}  // namespace kitbag::batch
