#include "kitbag/compare.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "compare/comparer.h"
#include "tests/support/memory_source.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::memory_source;
using test::MemoryOptions;
using test::Sample;
using test::Samples;
using test::thrown_by;
using testing::ElementsAre;

constexpr std::int64_t kFirstTick = 1'300'000'000'000'000'000;

/// `count` messages on `topic`, one each second, each with its number as payload.
Samples ticking(const std::string& topic, std::int64_t count) {
  Samples samples;
  for (std::int64_t i = 0; i < count; ++i) {
    samples.push_back({topic, kFirstTick + i * 1'000'000'000, std::to_string(i)});
  }
  return samples;
}

/// Both, in time.
Samples together(Samples a, const Samples& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::stable_sort(a.begin(), a.end(),
                   [](const Sample& x, const Sample& y) { return x.time < y.time; });
  return a;
}

Samples without(Samples samples, std::size_t first, std::size_t count = 1) {
  auto from = samples.begin() + static_cast<std::ptrdiff_t>(first);
  samples.erase(from, from + static_cast<std::ptrdiff_t>(count));
  return samples;
}

Samples reversed(Samples samples) {
  std::reverse(samples.begin(), samples.end());
  return samples;
}

enum class Times { compared, ignored };

Comparison compared(const Samples& a, const Samples& b, Times times = Times::compared,
                    MemoryOptions options_b = {}) {
  auto source_a = memory_source(a);
  auto source_b = memory_source(b, std::move(options_b));
  return compare(*source_a, *source_b, times == Times::ignored);
}

std::vector<std::string> lines_of(const Comparison& comparison) {
  std::vector<std::string> lines;
  for (const Difference& each : comparison.first) lines.push_back(each.topic + ": " + each.text);
  return lines;
}

std::vector<std::string> differences(const Samples& a, const Samples& b,
                                     Times times = Times::compared) {
  return lines_of(compared(a, b, times));
}

TEST(Compare, EqualSourcesHaveNoDifference) {
  Samples samples = together(ticking("/imu", 700), ticking("/gps", 500));
  for (Times times : {Times::compared, Times::ignored}) {
    for (std::size_t batch : {1U, 100U, 256U}) {
      Comparison same =
          compared(samples, samples, times,
                   {.batch_messages = batch, .declares_late = true, .empty_reads = 1});
      EXPECT_EQ(same.differences, 0U);
      EXPECT_EQ(same.messages_a, 1200U);
      EXPECT_EQ(same.messages_b, 1200U);
      EXPECT_TRUE(same.first.empty());
    }
  }
}

TEST(Compare, NothingEqualsNothing) {
  EXPECT_EQ(compared({}, {}).differences, 0U);
  EXPECT_EQ(compared({}, {}, Times::ignored).differences, 0U);
}

TEST(Compare, TheOrderBetweenTopicsDoesNotCount) {
  Samples a = {{"/a", 1, "x"}, {"/b", 1, "y"}, {"/a", 1, "z"}};
  Samples b = {{"/b", 1, "y"}, {"/a", 1, "x"}, {"/a", 1, "z"}};
  EXPECT_EQ(compared(a, b).differences, 0U);
}

TEST(Compare, SlotsDoNotCount) {
  Samples b = together(ticking("/gps", 5), ticking("/imu", 5));
  EXPECT_EQ(compared(together(ticking("/imu", 5), ticking("/gps", 5)), b).differences, 0U);
}

TEST(Compare, TellsWhereAPayloadDiffers) {
  Samples a = ticking("/imu", 20);
  Samples b = a;
  a[17].data = "twelve bytes, then A";
  b[17].data = "twelve bytesXX";
  for (Times times : {Times::compared, Times::ignored}) {
    Comparison comparison = compared(a, b, times);
    EXPECT_EQ(comparison.differences, 1U);
    EXPECT_THAT(lines_of(comparison),
                ElementsAre("/imu: message 17 at 1300000017.000000000: payload differs at byte 12 "
                            "(A 20 bytes, B 14 bytes)"));
  }
}

TEST(Compare, APayloadThatGoesOnDiffersAtTheEndOfTheOther) {
  EXPECT_THAT(differences({{"/a", 5, "abc"}}, {{"/a", 5, ""}}),
              ElementsAre("/a: message 0 at 0.000000005: payload differs at byte 0 "
                          "(A 3 bytes, B 0 bytes)"));
  EXPECT_THAT(differences({{"/a", -5, "ab"}}, {{"/a", -5, "abc"}}),
              ElementsAre("/a: message 0 at -0.000000005: payload differs at byte 2 "
                          "(A 2 bytes, B 3 bytes)"));
}

TEST(Compare, TellsOfTypes) {
  EXPECT_THAT(differences({{"/a", 0, "x", "old/Type"}}, {{"/a", 0, "x", "new/Type"}}),
              ElementsAre("/a: message 0 at 0.000000000: type differs (A old/Type, B new/Type)"));
}

TEST(Compare, OneMissingMessageIsOneDifference) {
  Samples whole = ticking("/imu", 600);
  for (Times times : {Times::compared, Times::ignored}) {
    EXPECT_THAT(differences(whole, without(whole, 17), times),
                ElementsAre("/imu: message 17 at 1300000017.000000000: only in A"));
    EXPECT_THAT(differences(without(whole, 0), whole, times),
                ElementsAre("/imu: message 0 at 1300000000.000000000: only in B"));
    EXPECT_EQ(compared(whole, without(whole, 17), times).differences, 1U);
  }
}

TEST(Compare, MissingMessagesInARowAreOneLine) {
  Samples whole = ticking("/imu", 600);
  for (Times times : {Times::compared, Times::ignored}) {
    Comparison comparison = compared(without(whole, 100, 20), whole, times);
    EXPECT_EQ(comparison.differences, 20U);
    EXPECT_THAT(lines_of(comparison),
                ElementsAre("/imu: messages 100 to 119 from 1300000100.000000000: only in B"));
  }
}

TEST(Compare, ALongGapIsBridgedByTime) {
  Samples whole = ticking("/imu", 2000);
  EXPECT_THAT(differences(whole, without(whole, 500, 1000)),
              ElementsAre("/imu: messages 500 to 1499 from 1300000500.000000000: only in A"));
}

TEST(Compare, MissingAtTheEnd) {
  Samples whole = ticking("/imu", 43);
  for (Times times : {Times::compared, Times::ignored}) {
    EXPECT_THAT(differences(whole, ticking("/imu", 40), times),
                ElementsAre("/imu: only in A from message 40 on (3 messages)"));
    EXPECT_THAT(differences(ticking("/imu", 42), whole, times),
                ElementsAre("/imu: only in B from message 42 on (1 message)"));
  }
}

TEST(Compare, ATopicThatOneSideLacks) {
  Samples imu = ticking("/imu", 300);
  Samples both = together(imu, ticking("/gps", 300));
  for (Times times : {Times::compared, Times::ignored}) {
    Comparison comparison = compared(imu, both, times);
    EXPECT_EQ(comparison.differences, 300U);
    EXPECT_THAT(lines_of(comparison), ElementsAre("/gps: only in B (300 messages)"));
  }
}

TEST(Compare, SeveralKindsOnOneTopic) {
  Samples a = ticking("/imu", 100);
  Samples b = a;
  b[10].data += "!";
  b = without(b, 50, 2);
  b.insert(b.begin() + 80, {"/imu", b[79].time + 5, "new"});
  EXPECT_THAT(
      differences(a, b),
      ElementsAre("/imu: message 10 at 1300000010.000000000: payload differs at byte 2 (A 2 bytes, "
                  "B 3 bytes)",
                  "/imu: messages 50 to 51 from 1300000050.000000000: only in A",
                  "/imu: message 80 at 1300000081.000000005: only in B"));
  EXPECT_EQ(compared(a, b, Times::ignored).differences, 4U);
}

TEST(Compare, TimesCountUnlessIgnored) {
  Samples a = ticking("/imu", 50);
  Samples b = a;
  for (Sample& sample : b) sample.time += 1;
  Comparison comparison = compared(a, b);
  EXPECT_EQ(comparison.differences, 100U);
  EXPECT_EQ(comparison.first.size(), 10U);
  EXPECT_EQ(compared(a, b, Times::ignored).differences, 0U);
  for (Sample& sample : b)
    sample.time = kFirstTick + (sample.time - kFirstTick) / 2;  // played faster
  EXPECT_EQ(compared(a, b, Times::ignored).differences, 0U);
}

TEST(Compare, MessagesOfOneTimeCountInTheirOrder) {
  Samples a = {{"/a", 1, "x"}, {"/a", 1, "y"}};
  EXPECT_EQ(compared(a, reversed(a)).differences, 2U);
}

TEST(Compare, InReverseTimeToo) {
  Samples whole = reversed(ticking("/imu", 600));
  EXPECT_EQ(compared(whole, whole).differences, 0U);
  EXPECT_THAT(differences(whole, without(whole, 17)),
              ElementsAre("/imu: message 17 at 1300000582.000000000: only in A"));
}

TEST(Compare, InFileOrderToo) {
  Samples shuffled = together(ticking("/imu", 300), ticking("/gps", 300));
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(7));
  EXPECT_EQ(compared(shuffled, shuffled, Times::compared, {.batch_messages = 3}).differences, 0U);
  EXPECT_GT(compared(shuffled, without(shuffled, 100)).differences, 0U);
}

TEST(Compare, KeepsAsManyAsAsked) {
  Samples a = ticking("/imu", 50);
  Samples b = a;
  for (Sample& sample : b) sample.data += "!";
  for (std::size_t keep : {0U, 3U, 100U}) {
    auto source_a = memory_source(a);
    auto source_b = memory_source(b);
    Comparison comparison = compare(*source_a, *source_b, false, keep);
    EXPECT_EQ(comparison.differences, 50U);
    EXPECT_EQ(comparison.first.size(), std::min<std::size_t>(keep, 50));
  }
}

TEST(Compare, ChangedAtRandomItIsNeverCalledEqual) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    Samples a = together(ticking("/imu", 60), ticking("/gps", 40));
    Samples b = a;
    std::size_t place = random() % b.size();
    switch (random() % 4) {
      case 0:
        b[place].data += "!";
        break;
      case 1:
        b = without(b, place);
        break;
      case 2:
        b.insert(b.begin() + static_cast<std::ptrdiff_t>(place), b[place]);
        break;
      default:
        b[place].type = "other/Type";
    }
    for (Times times : {Times::compared, Times::ignored}) {
      EXPECT_EQ(compared(a, b, times).differences, 1U) << "round " << round;
      EXPECT_EQ(compared(b, a, times).differences, 1U) << "round " << round;
    }
  }
}

TEST(Compare, IsCancelledRatherThanHalf) {
  auto a = memory_source(ticking("/imu", 5));
  auto b = memory_source(ticking("/imu", 5));
  std::stop_source stop;
  stop.request_stop();
  Error error = thrown_by([&] { compare(*a, *b, false, 10, stop.get_token()); });
  EXPECT_EQ(error.code(), ErrorCode::cancelled);
}

// --- with little room
// -----------------------------------------------------------------------------

Comparison compared_within(std::size_t limit_bytes, const Samples& a, const Samples& b, Times times,
                           MemoryOptions options_b = {.batch_messages = 5}) {
  auto source_a = memory_source(a, {.batch_messages = 5});
  auto source_b = memory_source(b, std::move(options_b));
  return Comparer(*source_a, *source_b, times == Times::ignored, 10, limit_bytes).run({});
}

TEST(CompareWithin, ATopicThatOneSideLacksNeedsNoRoom) {
  Samples imu = ticking("/imu", 2000);
  Samples both = together(imu, ticking("/gps", 2000));
  for (Times times : {Times::compared, Times::ignored}) {
    Comparison comparison = compared_within(10'000, both, imu, times);
    EXPECT_EQ(comparison.differences, 2000U);
    EXPECT_THAT(lines_of(comparison), ElementsAre("/gps: only in A (2000 messages)"));
  }
}

TEST(CompareWithin, AGapIsToldWhenTheOtherSideHasPassedIt) {
  Samples imu = ticking("/imu", 2000);
  Samples gps = ticking("/gps", 2000);
  Samples cut = together(imu, without(gps, 10, 1900));
  Comparison comparison = compared_within(10'000, together(imu, gps), cut, Times::compared);
  EXPECT_EQ(comparison.differences, 1900U);
  EXPECT_THAT(lines_of(comparison),
              ElementsAre("/gps: messages 10 to 1909 from 1300000010.000000000: only in A"));
}

TEST(CompareWithin, InReverseTimeToo) {
  Samples imu = ticking("/imu", 2000);
  Samples gps = ticking("/gps", 2000);
  Samples cut = together(imu, without(gps, 10, 1900));
  Comparison comparison =
      compared_within(10'000, reversed(together(imu, gps)), reversed(cut), Times::compared);
  EXPECT_EQ(comparison.differences, 1900U);
  EXPECT_EQ(comparison.first.size(), 1U);
}

TEST(CompareWithin, SaysSoWhenTheTwoRunTooFarApart) {
  Samples imu = ticking("/imu", 2000);
  Samples gps = ticking("/gps", 2000);
  Samples one_after_the_other = imu;
  one_after_the_other.insert(one_after_the_other.end(), gps.begin(), gps.end());
  Samples the_other_way = gps;
  the_other_way.insert(the_other_way.end(), imu.begin(), imu.end());
  for (Times times : {Times::compared, Times::ignored}) {
    Error error =
        thrown_by([&] { compared_within(10'000, one_after_the_other, the_other_way, times); });
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_EQ(compared_within(1 << 20, one_after_the_other, the_other_way, times).differences, 0U);
  }
}

TEST(CompareWithin, AChannelThatAppearsTooLateIsNoSilentWrongAnswer) {
  Samples a = ticking("/imu", 300);
  Samples b = a;
  Samples gps = ticking("/gps", 10);
  a.insert(a.begin(), gps.begin(), gps.end());
  b.insert(b.end(), gps.begin(), gps.end());
  MemoryOptions late{.batch_messages = 5, .declares_late = true};
  EXPECT_EQ(compared_within(100'000, a, b, Times::ignored, late).differences, 0U);
  Error error = thrown_by([&] { compared_within(500, a, b, Times::ignored, late); });
  EXPECT_EQ(error.code(), ErrorCode::unsupported);
  EXPECT_THAT(error.message(), testing::HasSubstr("differ too much in order on /gps"));
}

}  // namespace
}  // namespace kitbag
