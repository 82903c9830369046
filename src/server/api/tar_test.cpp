#include "server/api/tar.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

namespace kitbag::server {
namespace {

/// What a reader of tars checks first.
bool is_sum_right(const std::string& block) {
  std::string blank = block;
  blank.replace(148, 8, 8, ' ');
  auto sum = std::accumulate(blank.begin(), blank.begin() + 512, 0L,
                             [](long all, char c) { return all + static_cast<unsigned char>(c); });
  return std::strtol(block.substr(148, 6).c_str(), nullptr, 8) == sum;
}

TEST(Tar, AShortNameNeedsOneBlock) {
  std::string header = tar_header("drive/drive_0.mcap", 01234, Time(std::chrono::seconds(8)));
  ASSERT_EQ(header.size(), 512U);
  EXPECT_STREQ(header.c_str(), "drive/drive_0.mcap");
  EXPECT_EQ(header.substr(124, 11), "00000001234");
  EXPECT_EQ(header.substr(136, 11), "00000000010");
  EXPECT_EQ(header.substr(257, 5), "ustar");
  EXPECT_TRUE(is_sum_right(header));
}

TEST(Tar, WhatDoesNotFitIsInRecordsBefore) {
  std::string path(200, 'x');
  std::uint64_t size = std::uint64_t{1} << 40;
  std::string header = tar_header(path, size, Time());
  ASSERT_EQ(header.size(), 3 * 512U);
  EXPECT_EQ(header[156], 'x');
  EXPECT_TRUE(is_sum_right(header));
  std::string records = header.substr(512, 512);
  EXPECT_TRUE(records.starts_with("210 path=" + path + "\n22 size=1099511627776\n"));
  EXPECT_TRUE(is_sum_right(header.substr(1024)));
}

TEST(Tar, IsPaddedToBlocks) {
  EXPECT_EQ(tar_padding(0).size(), 0U);
  EXPECT_EQ(tar_padding(1).size(), 511U);
  EXPECT_EQ(tar_padding(512).size(), 0U);
  EXPECT_EQ(tar_end().size(), 1024U);
}

}  // namespace
}  // namespace kitbag::server
