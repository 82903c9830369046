// Messages one by one, in pieces and made in place: every format that is written.

#include <gtest/gtest.h>

#include <optional>

#include "kitbag/kitbag.h"
#include "tests/support/bags.h"
#include "tests/support/thrown_by.h"

namespace kitbag::testing {
namespace {

class AppendSuite : public ::testing::TestWithParam<FormatCase> {
 protected:
  std::unique_ptr<Writer> begin(WriteOptions options) const {
    options.format = GetParam().format.name;
    return session_.create(path(), options);
  }
  std::string path() const { return folder_ / ("bag" + std::string(GetParam().format.extension)); }
  std::vector<TestMessage> found() const { return read_messages(*session_.open(path())); }
  const ChannelPtr& channel(std::uint32_t slot) const { return (*channels_)[slot]; }

  TempFolder folder_;
  Session session_;
  ChannelsPtr channels_ = GetParam().channels();
};

Stamp stamp_at(std::int64_t time_ns) {
  return {from_ns(time_ns), from_ns(time_ns), 0};
}

TEST_P(AppendSuite, PiecesBecomeOnePayload) {
  auto writer = begin(GetParam().options(1 << 20, 1));
  ByteView pieces[] = {as_bytes("one,"), {}, as_bytes("two,"), as_bytes("three")};
  writer->append(channel(1), stamp_at(1'000'000), pieces);
  writer->append(channel(0), stamp_at(2'000'000), {});
  writer->append(channel(1), stamp_at(3'000'000), std::span(pieces).first(1));
  writer->close();
  std::vector<TestMessage> expected = {
      {0, 1'000'000, "one,two,three"}, {1, 2'000'000, ""}, {0, 3'000'000, "one,"}};
  auto back = found();
  ASSERT_EQ(back.size(), expected.size());
  for (std::size_t i = 0; i < back.size(); ++i) {
    EXPECT_EQ(back[i].time_ns, expected[i].time_ns);
    EXPECT_EQ(back[i].payload, expected[i].payload);
  }
  EXPECT_NE(back[0].channel, back[1].channel);
  EXPECT_EQ(back[0].channel, back[2].channel);
}

TEST_P(AppendSuite, MessagesAndBatchesMix) {
  auto writer = begin(GetParam().options(300, 1));
  std::vector<TestMessage> expected;
  for (int i = 0; i < 60; ++i) {
    TestMessage message{static_cast<std::uint32_t>(i < 3 ? i : i % 3), 1'000'000 + i * 10,
                        "number " + std::to_string(i)};
    ByteView payload = as_bytes(message.payload);
    if (i % 3 == 0) {
      write_messages(*writer, channels_, {message});
    } else if (i % 3 == 1) {
      writer->append(channel(message.channel), stamp_at(message.time_ns), std::span(&payload, 1));
    } else {
      auto room =
          writer->reserve(channel(message.channel), stamp_at(message.time_ns), payload.size() + 50);
      ASSERT_EQ(room.size(), payload.size() + 50);
      std::copy(payload.begin(), payload.end(), room.begin());
      writer->commit(payload.size());
    }
    expected.push_back(std::move(message));
  }
  writer->close();
  EXPECT_EQ(found(), expected);
}

TEST_P(AppendSuite, WhatIsNotCommittedIsNotThere) {
  auto writer = begin(GetParam().options(300, 1));
  ByteView payload = as_bytes("there");
  auto reserve = [&](std::uint32_t slot) {
    auto room = writer->reserve(channel(slot), stamp_at(5), 1000);
    std::fill(room.begin(), room.end(), std::byte{0xEE});
  };
  reserve(0);
  writer->append(channel(0), stamp_at(1'000'000), std::span(&payload, 1));
  reserve(1);
  reserve(2);
  writer->flush();
  writer->append(channel(1), stamp_at(2'000'000), std::span(&payload, 1));
  reserve(2);
  writer->close();
  auto back = found();
  ASSERT_EQ(back.size(), 2U);
  EXPECT_EQ(back[0].payload, "there");
  EXPECT_EQ(back[1].time_ns, 2'000'000);
}

TEST_P(AppendSuite, OnlyWhatWasReservedIsCommitted) {
  auto writer = begin(GetParam().options(1 << 20, 1));
  EXPECT_ERROR(invalid, writer->commit(0));
  auto room = writer->reserve(channel(0), stamp_at(1'000'000), 4);
  EXPECT_ERROR(invalid, writer->commit(5));
  std::fill(room.begin(), room.end(), std::byte{'x'});
  room = writer->reserve(channel(0), stamp_at(1'000'000), 4);
  std::fill(room.begin(), room.end(), std::byte{'y'});
  writer->commit(3);
  EXPECT_ERROR(invalid, writer->commit(3));
  writer->close();
  auto back = found();
  ASSERT_EQ(back.size(), 1U);
  EXPECT_EQ(back[0].payload, "yyy");
}

/// Large payloads in pieces, whose memory goes when the call returns.
TEST_P(AppendSuite, LargePayloadsAreTheSameInEveryWay) {
  for (Io io : {Io::direct, Io::buffered, Io::automatic}) {
    WriteOptions options = GetParam().options(768 << 10, 1);
    options.io = io;
    auto writer = begin(options);
    std::vector<TestMessage> expected;
    for (int i = 0; i < 12; ++i) {
      auto at = static_cast<std::size_t>(i);
      auto memory =
          std::make_unique<std::string>((256 << 10) + at * 1001, static_cast<char>('a' + i));
      std::string head = "head " + std::to_string(i);
      ByteView pieces[] = {as_bytes(head), as_bytes(*memory).subspan(at), as_bytes("tail")};
      auto slot = static_cast<std::uint32_t>(i < 3 ? i : i % 3);
      std::int64_t time_ns = 1'000'000 + i;
      expected.push_back({slot, time_ns, head + memory->substr(at) + "tail"});
      writer->append(channel(slot), stamp_at(time_ns), pieces);
    }
    writer->close();
    EXPECT_TRUE(found() == expected);
    std::filesystem::remove_all(path());
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, AppendSuite, ::testing::ValuesIn(writable_formats()), case_name);

}  // namespace
}  // namespace kitbag::testing
