#include <gtest/gtest.h>

#include <filesystem>

#include "kitbag/bookmark.h"
#include "kitbag/definitions.h"
#include "kitbag/session.h"
#include "model/listed_times.h"
#include "tests/support/temporary_folder.h"

namespace kitbag {
namespace {

constexpr const char* kStringDefinition = "string data\n";

/// A bag of 20 messages, whose type is named and not defined.
class StagedBag : public testing::Test {
 protected:
  StagedBag() {
    std::filesystem::create_directory(folder_.path("my_msgs"));
    folder_.write("my_msgs/String.msg", kStringDefinition);
    auto channel = std::make_shared<Channel>();
    channel->topic = "/a";
    channel->encoding = "ros1";
    channel->schema = std::make_shared<Schema>(Schema{"my_msgs/String", "ros1msg", ""});
    channel->metadata = {{"md5sum", "992ce8a1687cec8c8bd883ec73ca41d1"}, {"latching", "1"}};
    auto writer = session_.create(folder_.path("a.bag"), {.chunk_bytes = 20});
    for (int i = 0; i < 20; ++i) {
      const std::string payload("\1\0\0\0x", 5);
      const ByteView pieces[] = {std::as_bytes(std::span(payload))};
      writer->append(channel, {from_ns(i), from_ns(i)}, pieces);
    }
    writer->close();
    bare_ = session_.open(folder_.path("a.bag"));
    bag_ = defined(bare_, {{folder_.path(""), 0}}, session_);
  }

  static std::size_t count_defined(Source& source) {
    std::size_t count = 0;
    for (Batch batch; source.read(batch, {}); batch.clear()) {
      for (const Message& message : batch.messages()) {
        count += message.channel->schema->text == kStringDefinition ? 1U : 0U;
      }
    }
    return count;
  }

  TemporaryFolder folder_;
  Session session_;
  BagPtr bare_;
  BagPtr bag_;
};

TEST_F(StagedBag, ItsChannelsAreThoseOfTheStage) {
  EXPECT_EQ(bare_->summary().channels->front()->schema->text, "");
  EXPECT_EQ(bag_->summary().channels->front()->schema->text, kStringDefinition);
  EXPECT_EQ(bag_->summary().messages, 20U);
  EXPECT_EQ(count_defined(*bag_->read()), 20U);
  EXPECT_EQ(count_defined(*bag_->read({.begin = from_ns(15), .latched_before = true})), 6U);
}

TEST_F(StagedBag, TheLastMessagesTooAndTheTimes) {
  Batch last = bag_->last_before(from_ns(7));
  ASSERT_EQ(last.messages().size(), 1U);
  EXPECT_EQ(last.messages().front().log_time, from_ns(6));
  EXPECT_EQ(last.messages().front().channel->schema->text, kStringDefinition);
  EXPECT_NE(find_listed_times(*bag_), nullptr);
  EXPECT_EQ(bag_->chunks().size(), bare_->chunks().size());
}

TEST_F(StagedBag, ItIsReadOnFromABookmark) {
  auto source = bag_->read({.count = 12});
  BookmarkPtr bookmark = bookmark_of(*source);
  ASSERT_TRUE(bookmark);
  EXPECT_EQ(count_defined(*bookmark->read()), 12U);
  EXPECT_TRUE(bookmark_of(*bookmark->read()));
}

TEST_F(StagedBag, ABagThatLacksNothingIsAsItWas) {
  EXPECT_EQ(defined(bag_, {{folder_.path(""), 0}}, session_), bag_);
  EXPECT_EQ(defined(bare_, {}, session_), bare_);
}

}  // namespace
}  // namespace kitbag
