#include "codec/cdr/decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kitbag/error.h"
#include "tests/support/thrown_by.h"
#include "tests/support/values.h"

namespace kitbag::cdr {
namespace {

using test::Listing;

TypePtr structure(const std::vector<Kind>& kinds, Extensibility extensibility) {
  TypeBuilder builder;
  Type& type = builder.add(Kind::structure, "T");
  for (Kind kind : kinds) {
    type.fields.push_back({.name = std::string(1, static_cast<char>('a' + type.fields.size())),
                           .type = &builtin_type(kind)});
  }
  type.extensibility = extensibility;
  return builder.finish(type);
}

std::vector<std::byte> bytes(const std::vector<int>& values) {
  std::vector<std::byte> all;
  for (int value : values) all.push_back(static_cast<std::byte>(value));
  return all;
}

std::string decoded(const TypePtr& type, const std::vector<int>& payload) {
  Listing listing;
  Decoder(type).decode(bytes(payload), listing);
  return listing.values;
}

TEST(CdrDecoder, AlignsToEightInVersionOneAndToFourInTwo) {
  TypePtr type = structure({Kind::uint8, Kind::uint64}, Extensibility::fixed);
  EXPECT_EQ(decoded(type, {0, 1, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0}),
            "{a:7 b:9 } ");
  EXPECT_EQ(decoded(type, {0, 7, 0, 0, 7, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0}), "{a:7 b:9 } ");
}

TEST(CdrDecoder, ReadsBigEndian) {
  TypePtr type = structure({Kind::int16, Kind::uint32}, Extensibility::fixed);
  EXPECT_EQ(decoded(type, {0, 0, 0, 0, 0xff, 0xfe, 0, 0, 0, 0, 1, 2}), "{a:-2 b:258 } ");
}

TEST(CdrDecoder, ArraysOfStructuresHaveASizeInVersionTwo) {
  TypeBuilder builder;
  Type& element = builder.add(Kind::structure, "E");
  element.fields.push_back({.name = "e", .type = &builtin_type(Kind::int8)});
  Type& type = builder.add(Kind::structure, "T");
  type.fields.push_back({.name = "a", .type = &builder.array(element, 2)});
  TypePtr finished = builder.finish(type);
  EXPECT_EQ(decoded(finished, {0, 1, 0, 0, 5, 6}), "{a:[2 {e:5 } {e:6 } ] } ");
  EXPECT_EQ(decoded(finished, {0, 7, 0, 0, 2, 0, 0, 0, 5, 6}), "{a:[2 {e:5 } {e:6 } ] } ");
}

TEST(CdrDecoder, PassesOverThePaddingOfMiddlewares) {
  TypePtr type = structure({Kind::uint8}, Extensibility::fixed);
  EXPECT_EQ(decoded(type, {0, 1, 0, 3, 7, 0, 0, 0}), "{a:7 } ");
  EXPECT_ERROR(corrupt, decoded(type, {0, 1, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(CdrDecoder, AnOlderAppendableTypeLacksItsLastFields) {
  TypePtr type = structure({Kind::uint8, Kind::uint32}, Extensibility::appendable);
  EXPECT_EQ(decoded(type, {0, 9, 0, 0, 1, 0, 0, 0, 7}), "{a:7 b:0 } ");
  // Additional members of a newer type are skipped.
  EXPECT_EQ(decoded(structure({Kind::uint8}, Extensibility::appendable),
                    {0, 9, 0, 0, 8, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0}),
            "{a:7 } ");
}

TEST(CdrDecoder, MembersComeInAnyOrderAndUnknownOnesToo) {
  TypePtr type = structure({Kind::uint8, Kind::uint32}, Extensibility::by_id);
  EXPECT_EQ(decoded(type, {0, 3, 0, 0, 9, 0, 4, 0, 1, 1, 1, 1, 1, 0,    4, 0,
                           5, 0, 0, 0, 0, 0, 1, 0, 7, 0, 0, 0, 2, 0x3f, 0, 0}),
            "{a:7 b:5 } ");
  EXPECT_EQ(decoded(type, {0, 11, 0, 0, 13, 0, 0, 0, 1, 0, 0, 0x20, 5, 0, 0, 0, 0, 0, 0, 0, 7}),
            "{a:7 b:5 } ");
}

TEST(CdrDecoder, AMessageWithoutFieldsHasAByte) {
  EXPECT_EQ(decoded(structure({}, Extensibility::fixed), {0, 1, 0, 0, 0}), "{} ");
}

TEST(CdrDecoder, TextsWithAndWithoutTheirNul) {
  TypePtr type = structure({Kind::text}, Extensibility::fixed);
  EXPECT_EQ(decoded(type, {0, 1, 0, 0, 3, 0, 0, 0, 'a', 'b', 0}), "{a:\"ab\" } ");
  EXPECT_EQ(decoded(type, {0, 1, 0, 0, 2, 0, 0, 0, 'a', 'b'}), "{a:\"ab\" } ");
  EXPECT_EQ(decoded(type, {0, 1, 0, 0, 0, 0, 0, 0}), "{a:\"\" } ");
}

TEST(CdrDecoder, WideTextsOfTwoAndOfFourBytes) {
  TypePtr type = structure({Kind::wide_text}, Extensibility::fixed);
  EXPECT_EQ(decoded(type, {0, 1, 0, 0, 2, 0, 0, 0, 'a', 0, 0, 0, 0xe9, 0, 0, 0}),
            "{a:\"a\xc3\xa9\" } ");
  EXPECT_EQ(decoded(type, {0, 1, 0, 0, 2, 0, 0, 0, 'a', 0, 0xe9, 0}), "{a:\"a\xc3\xa9\" } ");
}

TEST(CdrDecoder, AnEnumeratorOutOfRangeIsRefused) {
  TypeBuilder builder;
  Type& color = builder.add(Kind::enumeration, "Color");
  color.enumerators = {{"RED", 0}, {"BLUE", 1}};
  Type& type = builder.add(Kind::structure, "T");
  type.fields = {{.name = "a", .type = &color}};
  TypePtr finished = builder.finish(type);
  EXPECT_EQ(decoded(finished, {0, 1, 0, 0, 1, 0, 0, 0}), "{a:1 } ");
  EXPECT_ERROR(corrupt, decoded(finished, {0, 1, 0, 0, 2, 0, 0, 0}));
}

TEST(CdrDecoder, AListOfFourBillionIsRefusedBeforeItIsTold) {
  TypeBuilder builder;
  Type& type = builder.add(Kind::structure, "T");
  type.fields = {{.name = "a", .type = &builder.sequence(builtin_type(Kind::uint8))}};
  EXPECT_ERROR(truncated, decoded(builder.finish(type), {0, 1, 0, 0, 255, 255, 255, 255, 1}));
}

TEST(CdrDecoder, WhatIsNoCdrIsToldApart) {
  TypePtr type = structure({Kind::uint8}, Extensibility::fixed);
  EXPECT_ERROR(truncated, decoded(type, {0, 1}));
  EXPECT_ERROR(unsupported, decoded(type, {0, 0x50, 0, 0, 1}));
  EXPECT_ERROR(unsupported, decoded(type, {1, 1, 0, 0, 1}));
}

}  // namespace
}  // namespace kitbag::cdr
