#include "tests/support/power_loss.h"
#include "storage/mcap/format.h"
#include "storage/mcap/write/writer.h"

namespace kitbag::mcap {
namespace {

TEST(McapPowerLoss, WhatWasSyncedIsSaved) {
  test::check_power_loss(mcap_format(), true, [](auto file, const WriteOptions& options) {
    return std::make_unique<BagWriter>(std::move(file), "lost.mcap", options);
  });
}

}  // namespace
}  // namespace kitbag::mcap
