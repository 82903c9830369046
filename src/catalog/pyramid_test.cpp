#include "catalog/pyramid.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "tests/support/thrown_by.h"

namespace kitbag::catalog {
namespace {

using std::chrono::seconds;

TEST(PartsOfABag, AreSecondsWhileTheyAreFew) {
  Parts parts = parts_of(from_ns(0), from_ns(0) + seconds(10));
  EXPECT_EQ(parts.duration, seconds(1));
  EXPECT_EQ(parts.count, 11U);
  EXPECT_EQ(parts.index_of(from_ns(0)), 0U);
  EXPECT_EQ(parts.index_of(from_ns(0) + seconds(10)), 10U);
  EXPECT_EQ(parts.index_of(from_ns(0) - seconds(5)), 0U);
  EXPECT_EQ(parts.index_of(from_ns(0) + seconds(99)), 10U);
}

TEST(PartsOfABag, AreBoundedForAnyBag) {
  for (Time end : {from_ns(0) + std::chrono::hours(24), Time::max()}) {
    for (Time start : {from_ns(0), Time::min()}) {
      Parts parts = parts_of(start, end);
      EXPECT_LE(parts.count, kMostParts);
      EXPECT_EQ(parts.index_of(end), parts.count - 1);
      EXPECT_GT(parts.begin_of(parts.count), parts.begin_of(parts.count - 1));
    }
  }
}

Pyramid made() {
  Pyramid pyramid;
  pyramid.messages = {2, 0, 3};
  pyramid.fields["a.b"] = {{2, 0.1, 0.7, 0.4}, {0, 0, 0, 0}, {2, -1e300, 1e300, 0}};
  pyramid.fields["c"] = {{2, 5, 5, 5}, {0, 0, 0, 0}, {3, 5, 6, 5.5}};
  return pyramid;
}

TEST(PackedPyramid, ComesBackWithBoundsThatHoldEveryValue) {
  Pyramid back = unpack_pyramid(pack(made()));
  EXPECT_EQ(back.messages, made().messages);
  ASSERT_EQ(back.fields.size(), 2U);
  for (const auto& [path, parts] : made().fields) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const NumberPart& part = back.fields.at(path)[i];
      EXPECT_EQ(part.count, parts[i].count);
      EXPECT_LE(part.least, parts[i].least);
      EXPECT_GE(part.most, parts[i].most);
      EXPECT_NEAR(part.mean, parts[i].mean, 1e-6);
    }
  }
  EXPECT_NEAR(back.fields.at("a.b")[0].least, 0.1, 1e-7);
}

TEST(PackedPyramid, BoundsSayWhatIsMissing) {
  Pyramid pyramid = made();
  auto first = pyramid.bounds("a.b", 0, 1);
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->has_others);
  EXPECT_EQ(first->most, 0.7);
  EXPECT_TRUE(pyramid.bounds("a.b", 0, 3)->has_others);  // one of the last three has no number
  EXPECT_FALSE(pyramid.bounds("c", 0, 3)->has_others);
  EXPECT_EQ(pyramid.bounds("c", 0, 3)->most, 6);
  EXPECT_FALSE(pyramid.bounds("d", 0, 3));
}

TEST(PackedPyramid, WhatIsDamagedIsRefused) {
  std::vector<std::byte> packed = pack(made());
  for (std::size_t size = 0; size < packed.size(); ++size) {
    EXPECT_ERROR(corrupt, unpack_pyramid(ByteView(packed).first(size)));
  }
  EXPECT_ERROR(corrupt, unpack_pyramid(pack(std::vector<std::uint64_t>{1, 2, 3})));
  EXPECT_ERROR(corrupt, unpack_counts(ByteView(packed).first(5)));
}

TEST(PackedCounts, ComeBack) {
  std::vector<std::uint64_t> counts{0, 7, std::numeric_limits<std::uint64_t>::max()};
  EXPECT_EQ(unpack_counts(pack(counts)), counts);
}

TEST(PackedCounts, OfMorePartsThanABagHasAreDamage) {
  EXPECT_EQ(unpack_counts(pack(std::vector<std::uint64_t>(kMostParts, 1))).size(), kMostParts);
  for (std::size_t parts : {kMostParts + 1, std::size_t{1'000'000}}) {
    std::vector<std::byte> packed = pack(std::vector<std::uint64_t>(parts, 1));
    EXPECT_ERROR(corrupt, unpack_counts(packed));
    EXPECT_ERROR(corrupt, unpack_pyramid(packed));
  }
}

TEST(PackedPyramid, WithBoundsThatAreNoneIsDamage) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (auto [least, most] : {std::pair(2.0, 1.0), std::pair(kNan, 1.0), std::pair(1.0, kNan)}) {
    Pyramid pyramid;
    pyramid.messages = {1};
    pyramid.fields["a"] = {{1, least, most, 1}};
    std::vector<std::byte> packed = pack(pyramid);
    EXPECT_ERROR(corrupt, unpack_pyramid(packed));
  }
}

}  // namespace
}  // namespace kitbag::catalog
