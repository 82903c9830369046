// What other writers have put into bags, and what they get wrong.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/rosbag/test_bag.h"
#include "tests/support/thrown_by.h"

namespace kitbag::rosbag {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// Connection 0 on /a, with messages at these seconds in chunks of their own, whose infos give
/// `starts`.
TestBag bag_with_chunks(const std::vector<std::vector<std::uint64_t>>& chunks,
                        const std::vector<std::pair<std::uint64_t, std::uint64_t>>& declared) {
  TestBag bag;
  std::vector<std::uint64_t> offsets;
  for (const auto& seconds : chunks) {
    std::vector<Buffer> records;
    if (offsets.empty()) records.push_back(TestBag::connection(0, "/a"));
    for (std::uint64_t at : seconds) {
      records.push_back(TestBag::message(0, at, "m" + std::to_string(at)));
    }
    offsets.push_back(bag.chunk(records));
  }
  std::uint64_t index_pos = bag.bytes.size();
  bag.append(TestBag::connection(0, "/a"));
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    bag.chunk_info(offsets[i], declared[i].first, declared[i].second,
                   {{0, static_cast<std::uint32_t>(chunks[i].size())}});
  }
  bag.close(index_pos, 1, static_cast<std::uint32_t>(chunks.size()));
  return bag;
}

TEST(RosbagReader, OrdersChunksThatLieOutOfOrder) {
  auto bag = bag_with_chunks({{5, 6}, {1, 2}, {3, 4}}, {{5, 6}, {1, 2}, {3, 4}});
  EXPECT_THAT(lines_of(*bag.open()),
              ElementsAre("/a 1 m1", "/a 2 m2", "/a 3 m3", "/a 4 m4", "/a 5 m5", "/a 6 m6"));
  EXPECT_EQ(to_ns(bag.open()->summary().start), 1'000'000'000);
}

TEST(RosbagReader, OrdersMessagesFromBeforeTheirChunksStart) {
  // The second chunk says it begins at 5, but holds 3.
  auto bag = bag_with_chunks({{1, 2, 4}, {5, 3, 6}}, {{1, 4}, {5, 6}});
  EXPECT_THAT(lines_of(*bag.open()),
              ElementsAre("/a 1 m1", "/a 2 m2", "/a 3 m3", "/a 4 m4", "/a 5 m5", "/a 6 m6"));
  Query query;
  query.begin = from_ns(2'000'000'000);
  query.end = from_ns(4'000'000'000);
  EXPECT_THAT(lines_of(*bag.open(), query), ElementsAre("/a 2 m2", "/a 3 m3"));
}

TEST(RosbagReader, TellsWhenChunkTimesAreTooWrongToKeepOrder) {
  auto bag = bag_with_chunks({{1, 2}, {3, 4}, {5, 6}, {7, 0}}, {{1, 2}, {3, 4}, {5, 6}, {7, 7}});
  std::vector<std::string> problems;
  auto opened = bag.open([&](const Error& e) { problems.push_back(e.what()); });
  EXPECT_THAT(lines_of(*opened), SizeIs(8));
  EXPECT_THAT(problems, ElementsAre(HasSubstr("outside the time range")));
  EXPECT_ERROR(corrupt, lines_of(*bag.open()));
}

TEST(RosbagReader, TellsHowAChunkAndItsIndexDiffer) {
  TestBag bag;
  std::vector<Buffer> records;
  records.push_back(TestBag::connection(0, "/a"));
  records.push_back(TestBag::message(0, 1, "one"));
  records.push_back(TestBag::message(0, 2, "two"));
  std::uint64_t chunk = bag.chunk(records);
  std::uint64_t index_pos = bag.bytes.size();
  bag.append(TestBag::connection(0, "/a"));
  bag.chunk_info(chunk, 1, 2, {{0, 2}});
  bag.close(index_pos, 1, 1);
  bag.bytes.data()[index_pos - 1] ^= std::byte{0x10};  // where the last message is said to be
  std::vector<std::string> problems;
  auto opened = bag.open([&](const Error& e) { problems.push_back(e.what()); });
  EXPECT_THAT(lines_of(*opened), ElementsAre("/a 1 one", "/a 2 two"));
  EXPECT_THAT(problems, ElementsAre(HasSubstr("times or places of the chunk's 2 messages")));
}

TEST(RosbagReader, TakesHeaderFieldsInAnyOrderAndUnknownOnesToo) {
  auto message = [](std::vector<std::string> order, bool padded, const std::string& payload) {
    Buffer header;
    for (const std::string& name : order) {
      std::string number(name == "time" ? 8 : 4, '\0');
      if (name == "time") number[0] = 9;
      append_field(header, name, name == "op" ? std::string(1, '\2') : number);
    }
    if (padded) append_field(header, "_", "       ");
    Buffer record;
    store_le(record.extend(4), static_cast<std::uint32_t>(header.size()));
    record.append(header.view());
    store_le(record.extend(4), static_cast<std::uint32_t>(payload.size()));
    record.append(as_bytes(payload));
    return record;
  };
  std::vector<Buffer> records;
  records.push_back(TestBag::connection(0, "/a"));
  for (int round = 0; round < 2; ++round) {
    records.push_back(message({"conn", "op", "time"}, false, "1"));
    records.push_back(message({"op", "conn", "time"}, false, "2"));
    records.push_back(message({"time", "conn", "op"}, false, "3"));
    records.push_back(message({"op", "time", "conn"}, true, "4"));
  }
  TestBag bag;
  std::uint64_t chunk = bag.chunk(records);
  std::uint64_t index_pos = bag.bytes.size();
  bag.append(TestBag::connection(0, "/a"));
  bag.chunk_info(chunk, 9, 9, {{0, 8}});
  bag.close(index_pos, 1, 1);
  EXPECT_THAT(lines_of(*bag.open()), ElementsAre("/a 9 1", "/a 9 2", "/a 9 3", "/a 9 4", "/a 9 1",
                                                 "/a 9 2", "/a 9 3", "/a 9 4"));
}

TEST(RosbagReader, TakesAnyConnectionId) {
  TestBag bag;
  std::vector<Buffer> records;
  records.push_back(TestBag::connection(0xfffffff0, "/a"));
  records.push_back(TestBag::message(0xfffffff0, 1, "x"));
  std::uint64_t chunk = bag.chunk(records);
  std::uint64_t index_pos = bag.bytes.size();
  bag.append(TestBag::connection(0xfffffff0, "/a"));
  bag.chunk_info(chunk, 1, 1, {{0xfffffff0, 1}});
  bag.close(index_pos, 1, 1);
  EXPECT_THAT(lines_of(*bag.open()), ElementsAre("/a 1 x"));
}

TEST(RosbagReader, IgnoresPaddingBehindTheIndex) {
  auto bag = bag_with_chunks({{1}}, {{1, 1}});
  std::memset(bag.bytes.extend(777), 0, 777);
  EXPECT_THAT(lines_of(*bag.open()), ElementsAre("/a 1 m1"));
  EXPECT_THAT(bag.findings(), ElementsAre(HasSubstr("has written 777 bytes after it")));
}

TEST(RosbagReader, ScansABagThatWasNotClosed) {
  auto bag = bag_with_chunks({{1, 2}, {3}}, {{1, 2}, {3, 3}});
  bag.close(0, 0, 0);
  std::vector<std::string> problems;
  auto opened = bag.open([&](const Error& e) { problems.push_back(e.what()); });
  EXPECT_THAT(problems, ElementsAre(HasSubstr("not closed")));
  EXPECT_FALSE(opened->summary().indexed);
  EXPECT_EQ(opened->summary().messages, 3U);
  EXPECT_THAT(lines_of(*opened), ElementsAre("/a 1 m1", "/a 2 m2", "/a 3 m3"));
  EXPECT_ERROR(truncated, bag.open());
}

TEST(RosbagReader, RefusesWhatItCannotRead) {
  auto error_of = [](const std::string& first_line) {
    TestBag bag;
    std::memcpy(bag.bytes.data(), first_line.data(), first_line.size());
    try {
      bag.open();
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("opened");
  };
  EXPECT_THAT(error_of("#ROSBAG V2.1\n"), HasSubstr("'#ROSBAG V2.1'"));

  TestBag bag;
  Buffer whole = std::exchange(bag.bytes, Buffer());
  bag.bytes.append(as_bytes(kVersionLine));
  RecordWriter(bag.bytes, Op::file_header)
      .field("index_pos", std::uint64_t{0})
      .field("conn_count", std::uint32_t{0})
      .field("chunk_count", std::uint32_t{0})
      .field("encryptor", "rosbag/AesCbcEncryptor")
      .data({});
  Error locked = test::thrown_by([&] { bag.open(); });
  EXPECT_EQ(locked.code(), ErrorCode::locked);
  EXPECT_THAT(locked.what(), HasSubstr("AesCbcEncryptor"));
}

TEST(RosbagReader, FindsTheNthMessageWhenHeadersHaveExtraFields) {
  // Positions come from the index, which knows records, not payloads.
  std::vector<Buffer> records;
  records.push_back(TestBag::connection(0, "/a"));
  for (int i = 0; i < 6; ++i) {
    Buffer message;
    RecordWriter(message, Op::message)
        .field("conn", std::uint32_t{0})
        .field("time", std::uint64_t{5})
        .field("topic", "/a")
        .data(as_bytes(std::string(i % 2 == 0 ? "" : "x") + std::to_string(i)));
    records.push_back(std::move(message));
  }
  TestBag bag;
  std::uint64_t chunk = bag.chunk(records);
  std::uint64_t index_pos = bag.bytes.size();
  bag.append(TestBag::connection(0, "/a"));
  bag.chunk_info(chunk, 5, 5, {{0, 6}});
  bag.close(index_pos, 1, 1);
  for (Order order : {Order::time, Order::reverse_time, Order::file}) {
    Query all;
    all.order = order;
    auto lines = lines_of(*bag.open(), all);
    for (std::size_t nth = 0; nth < 6; ++nth) {
      Query one = all;
      one.nth = nth;
      one.count = 1;
      EXPECT_THAT(lines_of(*bag.open(), one), ElementsAre(lines[nth]));
    }
  }
}

/// "PROBLEM" or "MESSAGES read" of the bytes of a bag, opened as one.
std::vector<std::string> read_as_bag(ByteView bytes, std::string format = "rosbag") {
  std::vector<std::string> told;
  ByteView head = bytes.first(std::min(bytes.size(), Input::kHeadBytes));
  Input input{"test.bag", {head.begin(), head.end()}, memory_file(bytes)};
  ReadOptions options{.on_problem = [&](const Error& e) { told.push_back(e.message()); }};
  options.format = std::move(format);
  auto bag = rosbag_format().open(input, options, Session(Registry()));
  told.push_back(std::to_string(lines_of(*bag).size()) + " read");
  return told;
}

TEST(RosbagReader, MendsAFirstLineThatIsDamagedWhereTheFormatIsNamed) {
  auto bag = bag_with_chunks({{1, 2}}, {{1, 2}});
  for (std::size_t at = 0; at < kVersionLine.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      Buffer damaged;
      damaged.append(bag.bytes.view());
      damaged.data()[at] ^= static_cast<std::byte>(1 << bit);
      EXPECT_THAT(
          read_as_bag(damaged.view()),
          ElementsAre("the first line is damaged; the bag is read as ROSBAG V2.0", "2 read"))
          << at;
      EXPECT_ERROR(unsupported, read_as_bag(damaged.view(), ""));
    }
  }
}

TEST(RosbagReader, FindsRecordsWhereTheWholeHeaderIsLost) {
  auto bag = bag_with_chunks({{1, 2}}, {{1, 2}});
  std::memset(bag.bytes.data(), 0, kVersionLine.size() + kFileHeaderBytes + 8);
  EXPECT_THAT(read_as_bag(bag.bytes.view()),
              ElementsAre("the first line is damaged; the bag is read as ROSBAG V2.0",
                          "the file header record is damaged", "2 read"));
}

TEST(RosbagReader, RefusesWhatIsNoBagAndQuotesAllOfItsLine) {
  std::string text("PK\3\4\0\0 other\n and more of it", 28);
  EXPECT_THAT(test::thrown_by([&] { read_as_bag(as_bytes(text)); }).what(),
              HasSubstr("the first line is 'PK???? other', which is not a supported version"));
}

}  // namespace
}  // namespace kitbag::rosbag
