#include <gmock/gmock.h>

#include "kitbag/pipeline.h"
#include "tests/support/source_rules.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::memory_source;
using test::Sample;
using test::Samples;
using testing::ElementsAre;
using testing::Pair;

const Samples kTwo = {{"/a", 1, "x"}, {"/b", 2, "y"}, {"/a", 3, "z"}};

std::unique_ptr<Source> renamed(std::map<std::string, std::string> topics) {
  auto source = memory_source(kTwo, {.metadata = {{"topic", "/old"}, {"callerid", "/me"}}});
  return through(std::move(source), rename(std::move(topics)));
}

TEST(Rename, GivesNewNamesAndLeavesOthers) {
  auto source = renamed({{"/a", "/c"}, {"/unknown", "/d"}});
  EXPECT_THAT(test::collect(*source),
              ElementsAre(Sample{"/c", 1, "x"}, Sample{"/b", 2, "y"}, Sample{"/c", 3, "z"}));
}

TEST(Rename, DoesNotChain) {
  auto source = renamed({{"/a", "/b"}, {"/b", "/a"}});
  EXPECT_THAT(test::topics_of(source->channels()), ElementsAre("/b", "/a"));
}

TEST(Rename, TwoChannelsMayEndOnOneTopic) {
  auto source = renamed({{"/a", "/b"}});
  EXPECT_THAT(test::topics_of(source->channels()), ElementsAre("/b", "/b"));
}

TEST(Rename, DropsTheOldNameInTheMetadataOnlyWhereItChanged) {
  auto source = renamed({{"/a", "/c"}});
  const Channels& channels = *source->channels();
  EXPECT_THAT(channels[0]->metadata, ElementsAre(Pair("callerid", "/me")));
  EXPECT_THAT(channels[1]->metadata, ElementsAre(Pair("callerid", "/me"), Pair("topic", "/old")));
}

TEST(Rename, ToItselfChangesNothing) {
  auto source = renamed({{"/a", "/a"}});
  EXPECT_EQ(source->channels()->front()->metadata.count("topic"), 1U);
}

TEST(Rename, RefusesAnEmptyName) {
  Error error = test::thrown_by([] { rename({{"/a", ""}}); });
  EXPECT_EQ(error.code(), ErrorCode::invalid);
  EXPECT_EQ(error.message(), "the new name of topic /a is empty");
}

TEST(Rename, KeepsTheRulesOfSources) {
  test::expect_source_rules([] { return renamed({{"/b", "/c"}}); });
}

}  // namespace
}  // namespace kitbag
