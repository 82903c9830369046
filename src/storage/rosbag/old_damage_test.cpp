// Versions 0 and 1.0, which nobody writes any more, cut at every byte and with every byte flipped.
// Those that are written are in tests/suites/run_damage_test.cpp.

#include <gtest/gtest.h>

#include <algorithm>

#include "storage/rosbag/test_old_bag.h"

namespace kitbag::rosbag {
namespace {

struct OldDamageCase {
  std::string name;
  std::string head;
  std::vector<std::string> topics;  ///< in front of messages, in turn
  std::size_t lost_by_a_flip;       ///< messages at most
};

class OldDamage : public ::testing::TestWithParam<OldDamageCase> {
 protected:
  OldDamage() {
    bag_.text(GetParam().head);
    for (std::uint32_t i = 0; i < 12; ++i) {
      bag_.text(GetParam().topics[i % GetParam().topics.size()]);
      bag_.message(100 + i, 5000 * i, "the payload " + std::string(i, 'p'));
      ends_.push_back(bag_.bytes.size());
    }
    whole_ = told_in_file_order(*bag_.open_strictly());
  }

  static OldBag copy_of(ByteView bytes) {
    OldBag copy;
    copy.bytes.append(bytes);
    return copy;
  }

  OldBag bag_;
  std::vector<std::size_t> ends_;
  std::vector<std::string> whole_;
};

TEST_P(OldDamage, CutAnywhereGivesWhatIsWhole) {
  for (std::size_t size = GetParam().head.size(); size < bag_.bytes.size(); ++size) {
    OldBag cut = copy_of(bag_.bytes.view().first(size));
    auto whole = std::upper_bound(ends_.begin(), ends_.end(), size) - ends_.begin();
    EXPECT_EQ(told_in_file_order(*cut.open()),
              std::vector<std::string>(whole_.begin(), whole_.begin() + whole))
        << "cut at " << size;
    bool is_boundary =
        size == GetParam().head.size() || (whole > 0 && ends_[std::size_t(whole - 1)] == size);
    EXPECT_EQ(cut.problems.empty(), is_boundary) << "cut at " << size;
    EXPECT_EQ(cut.findings().empty(), is_boundary) << "cut at " << size;
  }
}

TEST_P(OldDamage, CutInTheHeadIsRefusedOrEmpty) {
  for (std::size_t size = 0; size < GetParam().head.size(); ++size) {
    OldBag cut = copy_of(bag_.bytes.view().first(size));
    if (rosbag_format().matches(cut.input()) == 0) continue;
    EXPECT_THROW(cut.open(), Error) << "cut at " << size;
    EXPECT_THROW(cut.findings(), Error) << "cut at " << size;
  }
}

TEST_P(OldDamage, AFlippedByteCostsFewMessages) {
  for (std::byte mask : {std::byte{0x01}, std::byte{0x80}, std::byte{0xff}}) {
    for (std::size_t at = GetParam().head.size(); at < bag_.bytes.size(); ++at) {
      OldBag flipped = copy_of(bag_.bytes.view());
      flipped.bytes.data()[at] ^= mask;
      auto found = told_in_file_order(*flipped.open());
      std::size_t kept = 0;
      for (const std::string& line : whole_) {
        kept += std::find(found.begin(), found.end(), line) == found.end() ? 0U : 1U;
      }
      EXPECT_GE(kept + GetParam().lost_by_a_flip, whole_.size()) << "flipped at " << at;
      EXPECT_LE(found.size(), whole_.size() + 1) << "flipped at " << at;
      EXPECT_LE(flipped.problems.size(), flipped.findings().size() + 0U) << "flipped at " << at;
    }
  }
}

TEST_P(OldDamage, AFlippedByteInTheHeadHarmsNothingElse) {
  for (std::size_t at = 0; at < GetParam().head.size(); ++at) {
    OldBag flipped = copy_of(bag_.bytes.view());
    flipped.bytes.data()[at] ^= std::byte{0xff};
    if (rosbag_format().matches(flipped.input()) == 0) continue;
    try {
      EXPECT_LE(flipped.open()->summary().messages, whole_.size());
    } catch (const Error&) {
      EXPECT_THROW(flipped.findings(), Error);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Versions, OldDamage,
    ::testing::Values(
        OldDamageCase{
            "V0", "/chatter\n" + std::string(kStringMd5) + "\nstd_msgs/String\n", {""}, 2},
        OldDamageCase{"V1_0", "#ROSLOG V1.0\n0002\nabc\n*\n*\nxyz\n*\n*\n", {"abc\n", "xyz\n"}, 1}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace kitbag::rosbag
