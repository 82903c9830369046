#include "tests/support/power_loss.h"
#include "storage/rosbag/format.h"
#include "storage/rosbag/writer.h"

namespace kitbag::rosbag {
namespace {

TEST(RosbagPowerLoss, WhatWasSyncedIsSaved) {
  test::check_power_loss(rosbag_format(), false, [](auto file, const WriteOptions& options) {
    return std::make_unique<BagWriter>(std::move(file), "lost.bag", options);
  });
}

}  // namespace
}  // namespace kitbag::rosbag
