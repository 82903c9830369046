#include "server/bags/catalog_bags.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/open.h"
#include "kitbag/pipeline.h"
#include "server/bags/catalog_events.h"
#include "server/http/message.h"
#include "tests/support/temporary_folder.h"

namespace kitbag::server {
namespace {

TEST(CatalogNames, SayTheContentAndTheFile) {
  CatalogBag bag;
  bag.fingerprint = "0123456789abcdef0123";
  bag.paths = {"s3://bags/a/drive.mcap", "/z"};
  EXPECT_EQ(catalog_name(bag), "0123456789abcdef~drive.mcap");
  EXPECT_EQ(fingerprint_in(catalog_name(bag)), "0123456789abcdef");
  BagEntry entry;
  entry.name = catalog_name(bag);
  EXPECT_EQ(title_of(entry), entry.name);  // it is of no catalog
  entry.number = 1;
  EXPECT_EQ(title_of(entry), "drive.mcap");
  for (const char* name : {"", "~", "drive.mcap", "0123456789abcdef", "0123456789abcdeF~x",
                           "0123456789abcde~x", "0123456789abcdefa~x"}) {
    EXPECT_EQ(fingerprint_in(name), "") << name;
  }
}

TEST(CatalogPlaces, AreFoldersAndWhatLiesBelow) {
  EXPECT_TRUE(is_at_or_below("/data/bags/a.mcap", "/data/bags"));
  EXPECT_TRUE(is_at_or_below("/data/bags/a.mcap", "/data/bags/"));
  EXPECT_TRUE(is_at_or_below("/data/bags", "/data/bags"));
  EXPECT_TRUE(is_at_or_below("/data", "/"));
  EXPECT_TRUE(is_at_or_below("s3://bags/2026/a", "s3://bags"));
  EXPECT_FALSE(is_at_or_below("/data/bags2/a.mcap", "/data/bags"));
  EXPECT_FALSE(is_at_or_below("/data", "/data/bags"));
  EXPECT_FALSE(is_at_or_below("/data/bags/../secret", "/data/bags"));
  EXPECT_FALSE(is_at_or_below("s3://bags/a", "/"));
  EXPECT_FALSE(is_at_or_below("s3://bags-of-others/a", "s3://bags"));
}

class OfACatalog : public testing::Test {
 protected:
  OfACatalog() {
    auto demo = session_.open("demo://?seconds=0.5&seed=3");
    auto writer = session_.create(bag_);
    run(*demo->read(), *writer, *session_.clock());
    writer->close();
    Catalog catalog = Catalog::create(address_, session_);
    catalog.add(bag_);
    catalog.find({}, [&](const CatalogBag& found) { name_ = catalog_name(found); });
  }

  TemporaryFolder folder_;
  std::string bag_ = folder_.path("a.mcap");
  std::string address_ = folder_.path("fleet.db");
  Session session_;
  std::string name_;
};

TEST_F(OfACatalog, BagsAreFoundByTheirContent) {
  CatalogBags bags(address_, {}, session_);
  BagEntryPtr bag = bags.find(name_);
  ASSERT_TRUE(bag);
  EXPECT_EQ(bag->path, bag_);
  EXPECT_EQ(bag->name, name_);
  EXPECT_NE(bag->number, 0);
  EXPECT_GT(bag->messages, 0U);
  EXPECT_EQ(bags.find(name_.substr(0, 17) + "another name"), bag);
  EXPECT_FALSE(bags.find("a.mcap"));
  EXPECT_THROW(bags.find("0123456789abcdef~a.mcap"), Refusal);
}

TEST_F(OfACatalog, BagsElsewhereAreNot) {
  EXPECT_TRUE(CatalogBags(address_, {folder_.path("")}, session_).find(name_));
  CatalogBags bags(address_, {folder_.path("elsewhere")}, session_);
  try {
    bags.find(name_);
    FAIL();
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.status(), 403);
  }
}

TEST_F(OfACatalog, ManyThreadsShareAFewConnections) {
  CatalogPool pool(address_, session_);
  std::vector<std::jthread> threads;
  std::atomic<int> done = 0;
  for (int i = 0; i < 32; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        pool.read([&](Catalog& catalog) { done += static_cast<int>(catalog.count({})); });
      }
    });
  }
  threads.clear();
  EXPECT_EQ(done, 32 * 20);
}

TEST_F(OfACatalog, WhatIsThrownInAUseIsPassedOn) {
  CatalogPool pool(address_, session_);
  int calls = 0;
  EXPECT_THROW(pool.read([&](Catalog&) {
    ++calls;
    throw Error(ErrorCode::invalid, "nonsense");
  }),
               Error);
  EXPECT_THROW(pool.write([&](Catalog&) {
    ++calls;
    throw Refusal(412, "no");
  }),
               Refusal);
  EXPECT_EQ(calls, 2);
  // A connection that fails is taken for lost once; what fails in a new one, too, is an error.
  EXPECT_THROW(pool.read([&](Catalog&) {
    ++calls;
    throw Error(ErrorCode::io, "refused");
  }),
               Error);
  EXPECT_EQ(calls, 4);
  for (int i = 0; i < 20; ++i) pool.read([&](Catalog& catalog) { catalog.ping(); });
}

TEST_F(OfACatalog, EventsKeepTheirNumbers) {
  CatalogBags bags(address_, {}, session_);
  CatalogEvents events(bags.pool());
  BagEntryPtr bag = bags.find(name_);
  std::int64_t number = 0;
  auto number_of_first = [&] {
    std::int64_t first = 0;
    bags.pool().read(
        [&](Catalog& catalog) { first = catalog.events_of(bag->number).at(0).number; });
    return first;
  };
  for (std::string label : {"a", "b", "c"}) {
    auto text = events.update(*bag, [&](const std::string& stored) {
      std::vector<Event> all = parse_events(stored).events;
      Event event{.start = from_ns(5), .label = label};
      event.metadata["by"] = label;
      all.push_back(event);
      return std::optional(events_json(all));
    });
    EXPECT_EQ(text, events.read(*bag));
    if (number == 0) number = number_of_first();
    EXPECT_EQ(number_of_first(), number);
  }
  EXPECT_EQ(parse_events(events.read(*bag)).events.size(), 3U);
  EXPECT_FALSE(events.update(*bag, [](const std::string&) { return std::nullopt; }));
  events.update(*bag, [](const std::string&) { return std::optional(events_json({})); });
  EXPECT_EQ(events.read(*bag), events_json({}));
}

}  // namespace
}  // namespace kitbag::server
