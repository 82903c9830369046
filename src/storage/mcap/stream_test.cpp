#include "storage/mcap/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/mcap/test_file.h"
#include "tests/support/thrown_by.h"

namespace kitbag::mcap {
namespace {

using test::thrown_by;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A file that may be read forward only.
class ForwardFile final : public ReadFile {
 public:
  explicit ForwardFile(ByteView bytes) : file_(memory_file(bytes)) {}

  std::uint64_t size() const override { return UINT64_MAX; }
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override {
    EXPECT_GE(offset, position_) << "what is gone is gone";
    std::size_t count = file_->read(offset, into);
    position_ = offset + count;
    return count;
  }
  bool is_forward_only() const override { return true; }

 private:
  std::shared_ptr<const ReadFile> file_;
  mutable std::uint64_t position_ = 0;
};

ReadBack stream_back(ByteView bytes, const Query& query = {}) {
  ReadBack back;
  ReadOptions options{
      .on_problem = [&](const Error& problem) { back.problems.push_back(problem.message()); }};
  Input input = input_of(bytes);
  input.file = std::make_shared<ForwardFile>(bytes);
  auto source = open_stream(input, options)->read(query);
  for (Batch batch; source->read(batch, {}); batch.clear()) {
    std::move(batch.extras.begin(), batch.extras.end(), std::back_inserter(back.extras));
    for (const Message& message : batch.messages()) {
      EXPECT_EQ((*batch.channels)[message.channel->slot].get(), message.channel);
      back.payloads.emplace_back(as_text(message.data));
    }
  }
  return back;
}

TestFile streamed_file() {
  TestFile file;
  file.chunk({TestFile::schema(), TestFile::channel(1, "/a"), TestFile::message(1, 10, "one"),
              TestFile::message(1, 30, "three")},
             10, 30);
  mcap::append(file.bytes, MetadataRecord{"robot", {}});
  file.chunk({TestFile::channel(2, "/b"), TestFile::message(2, 20, "two"),
              TestFile::message(1, 40, "four")},
             20, 40);
  file.append(TestFile::message(1, 60, "six"));
  file.append(TestFile::message(1, 50, "five"));
  Statistics statistics;
  statistics.messages = 6;
  file.summary.set(statistics);
  return file;
}

TEST(McapStream, StatisticsAreComparedAtTheEnd) {
  for (std::uint64_t promised : {5U, 7U}) {
    TestFile file = streamed_file();
    Statistics statistics;
    statistics.messages = promised;
    file.summary.set(statistics);
    file.close();
    ReadBack back = stream_back(file.bytes.view());
    EXPECT_THAT(back.payloads, SizeIs(6));
    EXPECT_THAT(back.problems, ElementsAre(testing::HasSubstr("but there were 6")));
  }
}

TEST(McapStream, ComesByTimeOrAsStored) {
  TestFile file = streamed_file();
  file.close();
  ReadBack back = stream_back(file.bytes.view());
  EXPECT_THAT(back.problems, IsEmpty());
  EXPECT_THAT(back.payloads, ElementsAre("one", "two", "three", "four", "five", "six"));
  EXPECT_THAT(back.extras, SizeIs(1));
  EXPECT_THAT(stream_back(file.bytes.view(), file_order()).payloads,
              ElementsAre("one", "three", "two", "four", "six", "five"));
}

TEST(McapStream, AnswersQueries) {
  TestFile file = streamed_file();
  file.close();
  Query query;
  query.select.topics = {"/a"};
  query.begin = from_ns(20);
  query.nth = 1;
  query.count = 2;
  EXPECT_THAT(stream_back(file.bytes.view(), query).payloads, ElementsAre("four", "five"));
}

TEST(McapStream, IsReadOnceAndForward) {
  TestFile file = streamed_file();
  file.close();
  BagPtr bag = open_stream(input_of(file.bytes.view()), {});
  Query query;
  query.order = Order::reverse_time;
  EXPECT_EQ(thrown_by([&] { bag->read(query); }).code(), ErrorCode::unsupported);
  EXPECT_NO_THROW(bag->read({}));
  EXPECT_EQ(thrown_by([&] { bag->read({}); }).code(), ErrorCode::invalid);
}

TEST(McapStream, WhatCannotBeSortedIsRefused) {
  TestFile file = streamed_file();
  file.chunk({TestFile::message(1, 5, "much too late")}, 5, 5);
  file.close();
  auto error = thrown_by([&] { stream_back(file.bytes.view()); });
  EXPECT_EQ(error.code(), ErrorCode::unsupported);
  EXPECT_THAT(stream_back(file.bytes.view(), file_order()).payloads, SizeIs(7));
}

TEST(McapStream, EveryCutIsToldAndGivesWhatIsWhole) {
  TestFile file = streamed_file();
  file.close();
  std::size_t before = 0;
  for (std::size_t size = kMagic.size(); size < file.bytes.size(); ++size) {
    ReadBack back = stream_back(file.bytes.view().first(size), file_order());
    ASSERT_THAT(back.problems, Not(IsEmpty())) << size;
    ASSERT_GE(back.payloads.size(), before) << size;
    before = back.payloads.size();
  }
  EXPECT_EQ(before, 6U);
}

TEST(McapStream, TheCrcOfTheDataIsVerified) {
  TestFile file = streamed_file();
  std::uint32_t crc = crc32(file.bytes.view());
  append_data_end(file.bytes, crc);
  mcap::append(file.bytes, Footer{});
  file.bytes.append(as_bytes(kMagic));
  EXPECT_THAT(stream_back(file.bytes.view()).problems, IsEmpty());
  file.bytes.data()[as_text(file.bytes.view()).find("six")] = std::byte{'m'};
  ReadBack back = stream_back(file.bytes.view());
  EXPECT_THAT(back.problems, ElementsAre(HasSubstr("CRC")));
  EXPECT_EQ(back.payloads.back(), "mix");
}

}  // namespace
}  // namespace kitbag::mcap
