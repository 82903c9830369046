// Reading on from bookmarks, through the formats that have them.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "kitbag/bookmark.h"
#include "kitbag/session.h"
#include "tests/support/temporary_folder.h"

namespace kitbag {
namespace {

/// Chunks that overlap in time, compressed or not.
class Bookmarks : public ::testing::TestWithParam<std::pair<const char*, const char*>> {
 protected:
  Bookmarks() : path_(folder_.path(std::string("x") + GetParam().first)) {
    WriteOptions options;
    options.compression = GetParam().second;
    options.chunk_bytes = 100'000;
    auto writer = session_.create(path_, options);
    for (const char* topics : {"/imu", "/odom", "/camera/*", "/tf*"}) {
      Query query;
      query.select.topics = {topics};
      auto source = session_.open("demo://?seconds=3&seed=3")->read(query);
      for (Batch batch; source->read(batch, {}); batch.clear()) writer->write(std::move(batch));
    }
    writer->close();
    bag_ = session_.open(path_);
  }

  /// Adds a line for each message of a batch. False: there is none left.
  static bool add_batch(Source& source, std::vector<std::string>& lines) {
    Batch batch;
    if (!source.read(batch, {})) return false;
    for (const Message& message : std::as_const(batch).messages()) {
      lines.push_back(std::to_string(to_ns(message.log_time)) + message.channel->topic +
                      std::string(as_text(message.data)));
    }
    return true;
  }
  static std::vector<std::string> rest_of(Source& source) {
    std::vector<std::string> lines;
    while (add_batch(source, lines)) {
    }
    return lines;
  }

  /// What is read from each bookmark is what the source still gives.
  void check(const Query& query) {
    std::vector<std::string> whole = rest_of(*bag_->read(query));
    auto source = bag_->read(query);
    std::vector<std::string> given;
    do {
      BookmarkPtr bookmark = bookmark_of(*source);
      ASSERT_TRUE(bookmark);
      std::vector<std::string> all = given;
      auto again = bookmark->read();
      add_batch(*again, all);
      for (const std::string& line : rest_of(*bookmark_of(*again)->read())) all.push_back(line);
      ASSERT_EQ(all.size(), whole.size());
      EXPECT_TRUE(all == whole);
    } while (add_batch(*source, given));
    EXPECT_TRUE(given == whole);
  }

  TemporaryFolder folder_;
  Session session_;
  std::string path_;
  BagPtr bag_;
};

TEST_P(Bookmarks, ReadOnWhereTheirSourceStood) {
  for (Order order : {Order::time, Order::reverse_time, Order::file}) {
    Query query;
    query.order = order;
    check(query);
    query.select.topics = {"/imu", "/tf"};
    query.begin = bag_->summary().start + std::chrono::milliseconds(700);
    query.end = bag_->summary().end - std::chrono::milliseconds(300);
    check(query);
  }
}

TEST_P(Bookmarks, KeepTheRangeOfNumbers) {
  Query query;
  query.nth = 333;
  query.count = 700;
  check(query);
}

INSTANTIATE_TEST_SUITE_P(Formats, Bookmarks,
                         ::testing::Values(std::pair(".bag", "none"), std::pair(".bag", "lz4"),
                                           std::pair(".mcap", "none"), std::pair(".mcap", "zstd")));

TEST(BookmarksOf, OtherSourcesAreNone) {
  EXPECT_FALSE(bookmark_of(*Session().open("demo://?seconds=0.1")->read()));
}

}  // namespace
}  // namespace kitbag
