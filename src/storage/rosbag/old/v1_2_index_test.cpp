#include "storage/rosbag/old/v1_2_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kitbag/session.h"
#include "storage/rosbag/old/test_bag.h"

namespace kitbag::rosbag {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct TestEntry {
  std::uint32_t sec;
  std::uint64_t place;
};

/// A closed bag with two messages on /one and one on /two, whose index can be made wrong.
class IndexedBag {
 public:
  IndexedBag() {
    bag.text(kLine1_2);
    bag.file_header_1_2(0);
    definition = bag.definition_1_2("/one", "string data\n");
    first = bag.message_1_2("/one", 1, "a");
    second = bag.message_1_2("/one", 2, "b");
    other = bag.message_1_2("/two", 3, "c");
  }
  IndexedBag& index(const std::string& topic, const std::vector<TestEntry>& entries) {
    if (index_pos == 0) index_pos = bag.bytes.size();
    std::string data;
    for (const TestEntry& entry : entries) {
      data += OldBag::number(entry.sec);
      data += OldBag::number(std::uint32_t{0});
      data += OldBag::number(entry.place);
    }
    auto count = static_cast<std::uint32_t>(entries.size());
    bag.record(Op::index,
               {{"topic", topic},
                {"type", "std_msgs/String"},
                {"ver", OldBag::number(std::uint32_t{0})},
                {"count", OldBag::number(count)}},
               data);
    return *this;
  }
  OldBag& close() {
    OldBag header;
    header.text(kLine1_2);
    header.file_header_1_2(index_pos);
    std::memcpy(bag.bytes.data(), header.bytes.data(), header.bytes.size());
    return bag;
  }

  OldBag bag;
  std::uint64_t definition, first, second, other;
  std::uint64_t index_pos = 0;
};

TEST(IndexV1_2, MayBeginWithTheDefinition) {
  for (bool at_definition : {true, false}) {
    IndexedBag bag;
    std::uint64_t place = at_definition ? bag.definition : bag.first;
    bag.index("/one", {{1, place}, {2, bag.second}}).index("/two", {{3, bag.other}}).close();
    EXPECT_TRUE(bag.bag.open_strictly()->summary().indexed);
    EXPECT_THAT(bag.bag.findings(), IsEmpty());
  }
}

TEST(IndexV1_2, MayPointAtADefinitionFarInFrontOfTheMessage) {
  OldBag bag;
  bag.text("#ROSRECORD V1.2\n");
  bag.file_header_1_2(0);
  std::uint64_t one = bag.definition_1_2("/one", "string data");
  std::uint64_t two = bag.definition_1_2("/two", "string data");
  bag.message_1_2("/one", 1, "a");
  bag.message_1_2("/two", 2, "b");
  std::uint64_t twin = bag.message_1_2("/two", 2, "c");
  std::uint64_t index_pos = bag.bytes.size();
  auto index = [&](const std::string& topic,
                   std::vector<std::pair<std::uint32_t, std::uint64_t>> entries) {
    std::string data;
    for (auto [sec, place] : entries) {
      data += OldBag::number(sec) + OldBag::number(std::uint32_t{0}) + OldBag::number(place);
    }
    auto count = static_cast<std::uint32_t>(entries.size());
    bag.record(Op::index,
               {{"topic", topic},
                {"type", "std_msgs/String"},
                {"ver", OldBag::number(kIndexVersion1_2)},
                {"count", OldBag::number(count)}},
               data);
  };
  index("/one", {{1, one}});
  index("/two", {{2, two}, {2, twin}});
  OldBag closed;
  closed.text("#ROSRECORD V1.2\n").file_header_1_2(index_pos);
  closed.bytes.append(bag.bytes.view().subspan(closed.bytes.size()));
  EXPECT_THAT(closed.findings(), IsEmpty());
}

TEST(IndexV1_2, MayListATopicTwiceAndInAnyOrder) {
  IndexedBag bag;
  bag.index("/one", {{2, bag.second}}).index("/two", {{3, bag.other}});
  bag.index("/one", {{1, bag.definition}}).close();
  EXPECT_TRUE(bag.bag.open_strictly()->summary().indexed);
  EXPECT_THAT(bag.bag.findings(), IsEmpty());
}

TEST(IndexV1_2, TellsOfMessagesThatItDoesNotList) {
  IndexedBag bag;
  bag.index("/one", {{1, bag.definition}}).close();
  BagPtr opened = bag.bag.open();
  EXPECT_TRUE(opened->summary().indexed);
  EXPECT_EQ(opened->summary().messages, 3U);
  EXPECT_THAT(bag.bag.problems,
              ElementsAre(HasSubstr("the index lists 1 messages on /one, but there are 2"),
                          HasSubstr("the index lists 0 messages on /two, but there are 1")));
  EXPECT_THAT(bag.bag.findings(),
              ElementsAre(AllOf(HasSubstr("at byte " + std::to_string(bag.second)),
                                HasSubstr("this message is not listed")),
                          HasSubstr("at byte " + std::to_string(bag.other))));
}

TEST(IndexV1_2, TellsOfMessagesThatAreNotThere) {
  IndexedBag bag;
  bag.index("/one", {{1, bag.definition}, {2, bag.second}, {9, 77}});
  bag.index("/two", {{3, bag.other}}).index("/gone", {{4, 5}}).close();
  std::vector<std::optional<Loss>> losses;
  ReadOptions options{.on_problem = [&](const Error& e) { losses.push_back(e.loss()); }};
  rosbag_format().open(bag.bag.input(), options, Session(Registry()));
  ASSERT_EQ(losses.size(), 2U);
  for (const auto& loss : losses) EXPECT_EQ(loss.value().messages, 1U);
  EXPECT_THAT(bag.bag.findings(),
              ElementsAre(HasSubstr("the bag holds 0 messages on /gone, but the index lists 1; the "
                                    "first missing one: at byte 5"),
                          HasSubstr("the first missing one: at byte 77, 1970-01-01T00:00:09")));
}

TEST(IndexV1_2, TellsOfOtherTimes) {
  IndexedBag bag;
  bag.index("/one", {{1, bag.definition}, {5, bag.second}}).index("/two", {{3, bag.other}}).close();
  bag.bag.open();
  EXPECT_THAT(bag.bag.problems,
              ElementsAre(HasSubstr("the index gives other times for the messages on /one")));
  EXPECT_THAT(bag.bag.findings(), ElementsAre(HasSubstr("the first missing one")));
}

TEST(IndexV1_2, OtherPlacesAreForCheckToFind) {
  IndexedBag bag;
  bag.index("/one", {{1, bag.first + 1}, {2, bag.second}}).index("/two", {{3, bag.other}}).close();
  EXPECT_TRUE(bag.bag.open_strictly()->summary().indexed) << "nothing is read by the places";
  EXPECT_THAT(bag.bag.findings(), ElementsAre(HasSubstr("the first missing one: at byte " +
                                                        std::to_string(bag.first + 1))));
}

TEST(IndexV1_2, TellsOfAnEntryThatIsListedTwice) {
  IndexedBag bag;
  bag.index("/one", {{1, bag.definition}, {1, bag.first}, {2, bag.second}});
  bag.index("/two", {{3, bag.other}}).close();
  EXPECT_THAT(bag.bag.findings(),
              ElementsAre(HasSubstr("the bag holds 2 messages on /one, but the index lists 3")));
}

TEST(IndexV1_2, OfABagThatWasNotClosedIsMissing) {
  IndexedBag bag;
  BagPtr opened = bag.bag.open();
  EXPECT_FALSE(opened->summary().indexed);
  EXPECT_EQ(opened->summary().messages, 3U);
  EXPECT_THAT(bag.bag.problems, ElementsAre(HasSubstr("at byte 16: the bag was not closed")));
  EXPECT_THAT(bag.bag.findings(), ElementsAre(HasSubstr("at byte 16: the bag was not closed")));
}

TEST(IndexV1_2, MustBeWhereTheHeaderPlacesIt) {
  for (std::uint64_t place : {std::uint64_t{17}, std::uint64_t{4120}, std::uint64_t{1} << 40}) {
    IndexedBag bag;
    bag.index("/one", {{1, bag.definition}, {2, bag.second}}).index("/two", {{3, bag.other}});
    bag.index_pos = place;
    bag.close();
    EXPECT_FALSE(bag.bag.open()->summary().indexed);
    auto is_reported =
        ElementsAre(HasSubstr("at byte 16: the file header places the index at byte"));
    EXPECT_THAT(bag.bag.problems, is_reported);
    EXPECT_THAT(bag.bag.findings(), is_reported);
  }
}

TEST(IndexV1_2, WithADamagedRecordIsNone) {
  IndexedBag bag;
  bag.index("/one", {{1, bag.definition}, {2, bag.second}});
  std::size_t second_record = bag.bag.bytes.size();
  bag.index("/two", {{3, bag.other}}).close();
  auto size_field = as_text(bag.bag.bytes.view()).find("count=", second_record);
  bag.bag.bytes.data()[size_field + 6] = std::byte{2};
  EXPECT_FALSE(bag.bag.open()->summary().indexed);
  auto is_reported = ElementsAre(HasSubstr("a record of the index is damaged or cut off"));
  EXPECT_THAT(bag.bag.problems, is_reported);
  EXPECT_THAT(bag.bag.findings(), is_reported);
}

TEST(IndexV1_2, MayBeEmptyWhereThereIsNothingToList) {
  OldBag bag;
  bag.text(kLine1_2);
  bag.file_header_1_2(4120);
  EXPECT_TRUE(bag.open_strictly()->summary().indexed);
  EXPECT_THAT(bag.findings(), IsEmpty());
}

}  // namespace
}  // namespace kitbag::rosbag
