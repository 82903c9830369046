#include "kitbag/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kitbag/open.h"
#include "kitbag/plugin.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::thrown_by;

TEST(Session, HasTheBuiltInParts) {
  Session session;
  EXPECT_NE(find_format(session.registry(), "mcap"), nullptr);
  EXPECT_NE(find_codec(session.registry(), "cdr"), nullptr);
  EXPECT_NE(session.find_transport("demo"), nullptr);
  EXPECT_EQ(session.find_transport("nowhere"), nullptr);
}

TEST(Session, TellsTheSchemesOfItsTransports) {
  std::vector<std::string> schemes = Session().transport_schemes();
  EXPECT_TRUE(std::is_sorted(schemes.begin(), schemes.end()));
  EXPECT_THAT(schemes, testing::IsSupersetOf({"demo", "foxglove+ws", "foxglove+wss"}));
  auto plugins = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "plugins";
  for (const std::string& path : find_plugins({plugins.string()})) {  // where they were built
    std::string name = std::filesystem::path(path).stem();
    if (!name.starts_with("transport_")) continue;
    EXPECT_THAT(schemes, testing::Contains(testing::StartsWith(name.substr(name.find('_') + 1))));
  }
  EXPECT_THAT(Session(Registry()).transport_schemes(), testing::IsEmpty());
}

TEST(Session, FindsGivenVideoCodecs) {
  Registry registry;
  registry.video_codecs.push_back({"h264"});
  Session session(registry);
  ASSERT_NE(session.find_video_codec("h264"), nullptr);
  EXPECT_EQ(session.find_video_codec("h264")->format, "h264");
  EXPECT_EQ(session.find_video_codec("vp9"), nullptr);
}

TEST(Session, HasTheGivenPartsAlone) {
  Format lines;
  lines.name = "lines";
  int opened = 0;
  lines.open = [&opened](const Input&, const ReadOptions&, const Session&) -> BagPtr {
    ++opened;  // a part may have state
    return nullptr;
  };
  Session session(Registry{{lines}});
  EXPECT_EQ(find_format(session.registry(), "mcap"), nullptr);
  find_format(session.registry(), "lines")->open({}, {}, session);
  EXPECT_EQ(opened, 1);
}

TEST(Session, WhatComesOutKeepsIt) {
  auto clock = std::make_shared<ManualClock>();
  std::unique_ptr<Source> source;
  {
    BagPtr bag = Session({.clock = clock}).open("demo://?seconds=0.1&encoding=cdr");
    source = bag->read();
  }
  std::size_t messages = 0;
  for (Batch batch; source->read(batch, {}); batch.clear()) messages += batch.messages().size();
  EXPECT_GT(messages, 0U);
}

TEST(Session, AnotherClockAndTheSameParts) {
  auto clock = std::make_shared<ManualClock>(from_ns(7));
  Session first;
  Session second = first.with_clock(clock);
  EXPECT_EQ(&first.registry(), &second.registry());
  EXPECT_EQ(second.clock()->wall(), from_ns(7));
  EXPECT_NE(first.clock(), second.clock());
}

TEST(Session, PluginsThatAreNone) {
  TemporaryFolder folder;
  std::string junk = folder.write("junk.so", "no shared object");
  EXPECT_EQ(thrown_by([&] { Session({.plugins = {junk}}); }).code(), ErrorCode::invalid);
  EXPECT_EQ(thrown_by([&] { Session({.plugins = {folder.path("none.so")}}); }).code(),
            ErrorCode::not_found);
  std::vector<std::string> warnings;
  ::setenv("KITBAG_PLUGIN_PATH", folder.path().c_str(), 1);
  Session session({.on_warning = [&](const Error& e) { warnings.push_back(e.file()); }});
  EXPECT_NO_THROW(Session()) << "nobody has asked for this plugin, and nobody listens";
  ::unsetenv("KITBAG_PLUGIN_PATH");
  EXPECT_EQ(warnings, std::vector<std::string>{junk});
}

}  // namespace
}  // namespace kitbag
