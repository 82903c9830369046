#include "pictures/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using ::testing::ElementsAre;

/// Rows that are there.
class GivenRows final : public PictureRows {
 public:
  GivenRows(PictureSize size, std::uint32_t channels, std::vector<int> values)
      : size_(size), channels_(channels), values_(std::move(values)) {}
  PictureSize size() const override { return size_; }
  std::uint32_t channels() const override { return channels_; }
  void next(std::span<std::byte> row) override {
    for (std::byte& value : row) value = static_cast<std::byte>(values_.at(at_++));
  }

 private:
  PictureSize size_;
  std::uint32_t channels_;
  std::vector<int> values_;
  std::size_t at_ = 0;
};

std::vector<int> scaled(GivenRows rows, PictureSize to) {
  Picture picture = scaled_picture(rows, to, {});
  EXPECT_EQ(picture.width, to.width);
  EXPECT_EQ(picture.height, to.height);
  EXPECT_EQ(picture.channels, rows.channels());
  std::vector<int> values;
  for (std::byte value : picture.pixels) values.push_back(std::to_integer<int>(value));
  return values;
}

TEST(ScaledSizeTest, KeepsTheProportionsAndNeverGrows) {
  auto size = [](PictureSize whole, std::uint32_t width, std::uint32_t height) {
    PictureSize to = scaled_size(whole, {.width = width, .height = height});
    return std::pair(to.width, to.height);
  };
  EXPECT_EQ(size({640, 480}, 160, 0), std::pair(160U, 120U));
  EXPECT_EQ(size({640, 480}, 0, 60), std::pair(80U, 60U));
  EXPECT_EQ(size({640, 480}, 160, 60), std::pair(80U, 60U));
  EXPECT_EQ(size({640, 480}, 80, 400), std::pair(80U, 60U));
  EXPECT_EQ(size({640, 480}, 0, 0), std::pair(640U, 480U));
  EXPECT_EQ(size({640, 480}, 1000, 1000), std::pair(640U, 480U));
  EXPECT_EQ(size({3, 2}, 2, 0), std::pair(2U, 1U));
  EXPECT_EQ(size({100'000, 1}, 10, 10), std::pair(10U, 1U));
  EXPECT_EQ(size({1, 100'000}, 10, 10), std::pair(1U, 10U));
  EXPECT_EQ(size({UINT32_MAX, UINT32_MAX}, UINT32_MAX, 7), std::pair(7U, 7U));
}

TEST(ScaledPictureTest, PixelsAreTheAveragesOfTheirAreas) {
  EXPECT_THAT(scaled({{2, 2}, 1, {10, 20, 30, 41}}, {1, 1}), ElementsAre(25));
  EXPECT_THAT(scaled({{4, 1}, 1, {0, 255, 10, 20}}, {2, 1}), ElementsAre(128, 15));
  EXPECT_THAT(scaled({{2, 1}, 3, {0, 10, 100, 2, 20, 200}}, {1, 1}), ElementsAre(1, 15, 150));
  // Three become two: half of the middle one belongs to each.
  EXPECT_THAT(scaled({{3, 1}, 1, {0, 90, 240}}, {2, 1}), ElementsAre(30, 190));
  EXPECT_THAT(scaled({{1, 3}, 1, {0, 90, 240}}, {1, 2}), ElementsAre(30, 190));
  EXPECT_THAT(scaled({{2, 2}, 1, {1, 2, 3, 4}}, {2, 2}), ElementsAre(1, 2, 3, 4));
}

TEST(ScaledPictureTest, TheAverageOfThePictureStays) {
  std::mt19937 random(5);
  for (int i = 0; i < 50; ++i) {
    PictureSize from{1 + static_cast<std::uint32_t>(random() % 40),
                     1 + static_cast<std::uint32_t>(random() % 40)};
    PictureSize to{1 + static_cast<std::uint32_t>(random() % from.width),
                   1 + static_cast<std::uint32_t>(random() % from.height)};
    std::vector<int> values(std::size_t{from.width} * from.height);
    for (int& value : values) value = static_cast<int>(random() % 256);
    auto average = [](const std::vector<int>& all) {
      double sum = 0;
      for (int each : all) sum += each;
      return sum / static_cast<double>(all.size());
    };
    EXPECT_NEAR(average(scaled({from, 1, values}, to)), average(values), 0.5);
  }
}

TEST(ScaledPictureTest, StopsOnRequest) {
  std::stop_source stop;
  stop.request_stop();
  for (std::uint32_t width : {1U, 2U}) {
    GivenRows rows({2, 1}, 1, {0, 0});
    EXPECT_ERROR(cancelled, scaled_picture(rows, {width, 1}, {stop.get_token()}));
  }
}

TEST(CheckSizeTest, RefusesWhatIsEmptyOrTooLarge) {
  check_size(1000, 1000, 1'000'000);
  EXPECT_ERROR(limit, check_size(1001, 1000, 1'000'000));
  EXPECT_ERROR(corrupt, check_size(0, 1, 100));
  EXPECT_ERROR(corrupt, check_size(1, 0, 100));
  EXPECT_ERROR(limit, check_size(UINT64_MAX, UINT64_MAX, UINT64_MAX));
  EXPECT_ERROR(limit, check_size(std::uint64_t{1} << 32U, 1, UINT64_MAX));
}

}  // namespace
}  // namespace kitbag
