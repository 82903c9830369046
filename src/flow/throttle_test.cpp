#include <gmock/gmock.h>

#include "kitbag/pipeline.h"
#include "tests/support/memory_source.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::Samples;
using ::testing::ElementsAre;

std::vector<std::int64_t> left(const std::vector<Throttle>& rates, const std::string& topic,
                               std::initializer_list<std::int64_t> times_ms) {
  constexpr std::int64_t kStep = 1'000'000;
  constexpr std::int64_t kBegin = 1'700'000'000'000'000'000;
  Samples samples;
  for (std::int64_t ms : times_ms) samples.push_back({topic, kBegin + ms * kStep, "x"});
  auto source = through(test::memory_source(samples), throttle(rates));
  std::vector<std::int64_t> times;
  for (Batch batch; source->read(batch, {}); batch.clear()) {
    for (const auto& sample : test::samples_of(batch))
      times.push_back((sample.time - kBegin) / kStep);
  }
  return times;
}

TEST(Throttle, KeepsWhatTheRateAllows) {
  EXPECT_THAT(left({{"/a", 10}}, "/a", {0, 50, 100, 150, 200}), ElementsAre(0, 100, 200));
}

TEST(Throttle, OtherTopicsStay) {
  EXPECT_THAT(left({{"/a", 10}}, "/b", {0, 1, 2}), ElementsAre(0, 1, 2));
  EXPECT_THAT(left({{"/camera/*", 10}}, "/camera/image", {0, 1, 100}), ElementsAre(0, 100));
  EXPECT_THAT(left({{"/a", 1000}, {"/*", 1}}, "/a", {0, 1, 2}), ElementsAre(0, 1, 2));
}

TEST(Throttle, WhatComesALittleUnevenlyIsStillKept) {
  EXPECT_THAT(left({{"/a", 10}}, "/a", {0, 105, 201, 310, 400}),
              ElementsAre(0, 105, 201, 310, 400));
}

TEST(Throttle, AfterAPauseItGoesOn) {
  EXPECT_THAT(left({{"/a", 10}}, "/a", {0, 1000, 1050, 1100}), ElementsAre(0, 1000, 1100));
}

TEST(Throttle, TimesThatRunBackDoNotSilenceATopic) {
  EXPECT_THAT(left({{"/a", 10}}, "/a", {5000, 0, 50, 100}), ElementsAre(5000, 0, 100));
}

TEST(Throttle, ThereIsNoRateOfNothing) {
  EXPECT_EQ(test::thrown_by([] { throttle({{"/a", 0}}); }).code(), ErrorCode::invalid);
  EXPECT_EQ(test::thrown_by([] { throttle({{"/a", -1}}); }).code(), ErrorCode::invalid);
}

}  // namespace
}  // namespace kitbag
