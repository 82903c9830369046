#include "storage/mcap/records.h"

#include <gtest/gtest.h>

#include "kitbag/error.h"
#include "tests/support/thrown_by.h"

namespace kitbag::mcap {
namespace {

/// The content of the one record in `bytes`.
ByteView content_of(const Buffer& bytes) {
  auto record = parse_record(bytes.view());
  EXPECT_TRUE(record && record->bytes == bytes.size());
  return record->content;
}

TEST(McapRecords, ChannelsComeBackWithAllTheirFields) {
  Buffer bytes;
  append(bytes, ChannelRecord{7, 3, "/a", "cdr", {{"callerid", "/x"}, {"empty", ""}}});
  auto channel = parse_channel(content_of(bytes));
  ASSERT_TRUE(channel);
  EXPECT_EQ(channel->id, 7);
  EXPECT_EQ(channel->schema_id, 3);
  EXPECT_EQ(channel->topic, "/a");
  EXPECT_EQ(channel->message_encoding, "cdr");
  EXPECT_EQ(channel->metadata, (StringMap{{"callerid", "/x"}, {"empty", ""}}));
}

TEST(McapRecords, ChunkIndexesComeBackWithAllTheirFields) {
  Buffer bytes;
  ChunkIndex index{1, 2, 3, 4, {{5, 6}, {7, 8}}, 9, "zstd", 10, 11};
  append(bytes, index);
  auto found = parse_chunk_index(content_of(bytes));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->message_index_offsets, index.message_index_offsets);
  EXPECT_EQ(found->compression, "zstd");
  EXPECT_EQ(found->chunk_bytes, 4U);
  EXPECT_EQ(found->uncompressed_size, 11U);
}

TEST(McapRecords, WhatStandsBehindTheFieldsIsPassedOver) {
  Buffer bytes;
  RecordWriter(bytes, Op::header)
      .string("ros2")
      .string("me")
      .bytes(as_bytes("more to come"))
      .finish();
  auto header = parse_header(content_of(bytes));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->profile, "ros2");
  EXPECT_EQ(header->library, "me");
}

TEST(McapRecords, NothingThatIsCutIsTaken) {
  Buffer bytes;
  append(bytes, Statistics{1, 2, 3, 4, 5, 6, 7, 8, {{9, 10}}});
  ByteView content = content_of(bytes);
  ASSERT_TRUE(parse_statistics(content));
  for (std::size_t size = 0; size < content.size(); ++size) {
    EXPECT_FALSE(parse_statistics(content.first(size))) << size;
    EXPECT_FALSE(parse_record(bytes.view().first(size + 1))) << size;
  }
}

TEST(McapRecords, LengthsThatLieAreRefused) {
  Buffer bytes;
  append(bytes, MetadataRecord{"name", {{"key", "value"}}});
  Buffer lying = std::move(bytes);
  store_le(lying.data() + kRecordHead, std::uint32_t{0xFFFFFFF0});
  EXPECT_FALSE(parse_metadata(lying.view().subspan(kRecordHead)));
  std::byte head[kRecordHead] = {std::byte{5}};
  store_le(head + 1, UINT64_MAX);
  EXPECT_FALSE(parse_record(head));
}

TEST(McapRecords, FooterAndDataEndHaveTheirLength) {
  Buffer bytes;
  append(bytes, Footer{1, 2, 3});
  bytes.append(as_bytes("x"));
  EXPECT_FALSE(parse_footer(bytes.view().subspan(kRecordHead)));
  EXPECT_FALSE(parse_data_end(as_bytes("12345")));
  EXPECT_EQ(bytes.size() - 1 + kMagic.size(), kTailBytes);
}

TEST(McapRecords, ASchemaHasAnId) {
  Buffer bytes;
  append(bytes, SchemaRecord{0, "a", "b", {}});
  EXPECT_FALSE(parse_schema(content_of(bytes)));
}

TEST(McapRecords, TimesAreThoseOfTheLibrary) {
  EXPECT_EQ(time_of(5), from_ns(5));
  EXPECT_EQ(time_of(UINT64_MAX), Time::max());
  EXPECT_EQ(stored_time(from_ns(7)), 7U);
  EXPECT_ERROR(unsupported, stored_time(from_ns(-1)));
  constexpr std::uint64_t kLast = INT64_MAX;
  EXPECT_FALSE(exceeds_time({0, 0, kLast, kLast}));
  EXPECT_TRUE(exceeds_time({0, 0, kLast + 1, kLast}));
  EXPECT_TRUE(exceeds_time({0, 0, kLast, UINT64_MAX}));
}

}  // namespace
}  // namespace kitbag::mcap
