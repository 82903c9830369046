// Old versions as nobody writes them any more, cut at every byte, with every byte flipped, and with
// holes at every place. Those that are written are in tests/suites/run_damage_test.cpp, and 1.3,
// which has chunks, in v1_3_test.cpp.

#include <gtest/gtest.h>

#include <algorithm>

#include "storage/rosbag/old/test_bag.h"
#include "tests/support/thrown_by.h"

namespace kitbag::rosbag {
namespace {

/// How a version's file is put together, and what it can do about damage.
struct OldDamageCase {
  std::string name;
  std::string head;  ///< ends where the first message could begin
  void (*add)(OldBag& bag, std::uint32_t i);
  std::size_t lost_by_a_flip;        ///< messages at most
  std::size_t lost_beside_a_hole;    ///< messages at most that the hole does not touch
  std::size_t invented_at_a_hole;    ///< messages at most that there never were
  bool is_index_missed = false;      ///< the file says that it was not closed
  std::size_t definition_bytes = 0;  ///< of what stands before the first message
};

std::string old_payload(std::uint32_t i) {
  return "the payload " + std::string(i, 'p');
}

class OldDamage : public ::testing::TestWithParam<OldDamageCase> {
 protected:
  OldDamage() {
    bag_.text(GetParam().head);
    boundaries_.push_back(bag_.bytes.size());
    boundaries_.push_back(bag_.bytes.size() + GetParam().definition_bytes);
    for (std::uint32_t i = 0; i < 12; ++i) {
      GetParam().add(bag_, i);
      ends_.push_back(bag_.bytes.size());
    }
    boundaries_.insert(boundaries_.end(), ends_.begin(), ends_.end());
    whole_ = lines_in_file_order(*bag_.open());
    sound_problems_ = bag_.problems.size();
  }

  static OldBag copy_of(ByteView bytes) {
    OldBag copy;
    copy.bytes.append(bytes);
    return copy;
  }
  /// How many messages of `found` there were in the first place.
  std::size_t kept(const std::vector<std::string>& found) const {
    return static_cast<std::size_t>(
        std::count_if(whole_.begin(), whole_.end(), [&](const auto& line) {
          return std::find(found.begin(), found.end(), line) != found.end();
        }));
  }
  std::size_t touched(std::size_t at, std::size_t size) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      std::size_t begin = i == 0 ? GetParam().head.size() : ends_[i - 1];
      count += begin < at + size && at < ends_[i] ? 1U : 0U;
    }
    return count;
  }

  OldBag bag_;
  std::vector<std::size_t> ends_;        ///< of messages
  std::vector<std::size_t> boundaries_;  ///< of records
  std::vector<std::string> whole_;
  std::size_t sound_problems_ = 0;
};

TEST_P(OldDamage, UndamagedIsSound) {
  EXPECT_EQ(whole_.size(), 12U);
  EXPECT_EQ(sound_problems_, GetParam().is_index_missed ? 1U : 0U);
  EXPECT_EQ(bag_.findings().size(), sound_problems_);
}

TEST_P(OldDamage, CutAnywhereGivesWhatIsWhole) {
  for (std::size_t size = GetParam().head.size(); size < bag_.bytes.size(); ++size) {
    OldBag cut = copy_of(bag_.bytes.view().first(size));
    auto whole = std::upper_bound(ends_.begin(), ends_.end(), size) - ends_.begin();
    EXPECT_EQ(lines_in_file_order(*cut.open()),
              std::vector<std::string>(whole_.begin(), whole_.begin() + whole))
        << "cut at " << size;
    bool is_boundary = std::find(boundaries_.begin(), boundaries_.end(), size) != boundaries_.end();
    EXPECT_EQ(cut.problems.size() == sound_problems_, is_boundary) << "cut at " << size;
    EXPECT_EQ(cut.findings().size() == sound_problems_, is_boundary) << "cut at " << size;
  }
}

TEST_P(OldDamage, CutInTheHeadIsRefusedOrEmpty) {
  std::size_t line = GetParam().head.find('\n') + 1;
  for (std::size_t size = 0; size < GetParam().head.size(); ++size) {
    OldBag cut = copy_of(bag_.bytes.view().first(size));
    if (rosbag_format().matches(cut.input()) == 0) continue;
    if (GetParam().is_index_missed && size >= line) {  // a record is cut off, not a table
      EXPECT_EQ(cut.open()->summary().messages, 0U) << "cut at " << size;
      continue;
    }
    EXPECT_TRUE(is_damage(test::thrown_by([&] { cut.findings(); }).code())) << "cut at " << size;
    // What could become a bag of today is one without messages yet.
    bool is_of_any_version = GetParam().head.compare(0, size, kVersionLine, 0, size) == 0;
    if (size < line && is_of_any_version) {
      EXPECT_EQ(cut.open()->summary().messages, 0U) << "cut at " << size;
    } else {
      EXPECT_TRUE(is_damage(test::thrown_by([&] { cut.open(); }).code())) << "cut at " << size;
    }
  }
}

TEST_P(OldDamage, AFlippedByteCostsFewMessages) {
  for (std::byte mask : {std::byte{0x01}, std::byte{0x80}, std::byte{0xff}}) {
    for (std::size_t at = GetParam().head.size(); at < bag_.bytes.size(); ++at) {
      OldBag flipped = copy_of(bag_.bytes.view());
      flipped.bytes.data()[at] ^= mask;
      auto found = lines_in_file_order(*flipped.open());
      EXPECT_GE(kept(found) + GetParam().lost_by_a_flip, whole_.size()) << "flipped at " << at;
      EXPECT_LE(found.size(), whole_.size() + 1) << "flipped at " << at;
      EXPECT_LE(flipped.problems.size(), flipped.findings().size()) << "flipped at " << at;
    }
  }
}

TEST_P(OldDamage, AHoleCostsWhatItTouches) {
  for (std::size_t size : {3U, 8U, 64U, 200U, 600U}) {
    for (std::size_t at = GetParam().head.size(); at + size <= bag_.bytes.size(); ++at) {
      OldBag holed = copy_of(bag_.bytes.view());
      std::fill_n(holed.bytes.data() + at, size, std::byte{0});
      auto found = lines_in_file_order(*holed.open());
      std::size_t expected = whole_.size() - touched(at, size);
      EXPECT_GE(kept(found) + GetParam().lost_beside_a_hole, expected) << size << " at " << at;
      EXPECT_LE(found.size(), whole_.size() + GetParam().invented_at_a_hole)
          << size << " at " << at;
      EXPECT_LE(holed.problems.size(), holed.findings().size()) << size << " at " << at;
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
      EXPECT_TRUE(is_damage(test::thrown_by([&] { flipped.findings(); }).code()));
    }
  }
}

void add_v0(OldBag& bag, std::uint32_t i) {
  bag.message(100 + i, 5000 * i, old_payload(i));
}

void add_v1_0(OldBag& bag, std::uint32_t i) {
  bag.text(i % 2 == 0 ? "abc\n" : "xyz\n").message(100 + i, 5000 * i, old_payload(i));
}

void add_v1_1(OldBag& bag, std::uint32_t i) {
  bag.text(i % 2 == 0 ? "/one\n" : "two\n").text("*\nstd_msgs/String\n");
  bag.message(100 + i, 5000 * i, old_payload(i));
}

void add_v1_2(OldBag& bag, std::uint32_t i) {
  if (i == 0) bag.definition_1_2("/one", "string data\n");
  bag.message_1_2("/one", 100 + i, old_payload(i));
}

/// A file header that says that there is no index, and messages that name their nodes.
void add_unclosed_v1_2(OldBag& bag, std::uint32_t i) {
  if (i == 0) bag.definition_1_2("/one", "string data\n");
  bag.message_1_2("/one", 100 + i, old_payload(i), {{"callerid", "/x"}, {"latching", "1"}});
}

std::size_t definition_bytes_1_2() {
  OldBag bag;
  bag.definition_1_2("/one", "string data\n");
  return bag.bytes.size();
}

std::string unclosed_head_1_2() {
  OldBag bag;
  bag.text("#ROSRECORD V1.2\n").file_header_1_2(0);
  return std::string(as_text(bag.bytes.view()));
}

const std::string kMd5Line = std::string(kStringMd5) + "\n";
const std::string kTypeLine = "std_msgs/String\n";
const std::string kHead1_0 = "#ROSLOG V1.0\n0002\n";

TEST_P(OldDamage, ADamagedFirstLineCostsNothingWhereTheFormatIsNamed) {
  if (GetParam().head.front() != '#') return;  // version 0 has none
  for (std::size_t at : {1U, 4U, 8U}) {
    OldBag damaged = copy_of(bag_.bytes.view());
    damaged.bytes.data()[at] ^= std::byte{0x80};
    ReadOptions options{
        .on_problem = [&](const Error& e) { damaged.problems.push_back(e.what()); }};
    options.format = "rosbag";
    auto opened = rosbag_format().open(damaged.input(), options, Session(Registry()));
    EXPECT_EQ(lines_in_file_order(*opened), whole_) << at;
    EXPECT_EQ(damaged.problems.size(), sound_problems_ + 1) << at;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Versions, OldDamage,
    ::testing::Values(
        OldDamageCase{"V0", "/chatter\n" + kMd5Line + kTypeLine, add_v0, 2, 1, 1},
        OldDamageCase{"V1_0_md5_first",
                      kHead1_0 + "abc\n" + kMd5Line + kTypeLine + "xyz\n" + kMd5Line + kTypeLine,
                      add_v1_0, 1, 0, 0},
        OldDamageCase{"V1_0_type_first",
                      kHead1_0 + "abc\n" + kTypeLine + kMd5Line + "xyz\n" + kTypeLine + kMd5Line,
                      add_v1_0, 1, 0, 0},
        OldDamageCase{"V1_0_says_nothing", kHead1_0 + "abc\n*\n*\nxyz\n*\n*\n", add_v1_0, 1, 0, 0},
        OldDamageCase{"V1_1_roslog", "#ROSLOG V1.1\n", add_v1_1, 2, 1, 0},
        OldDamageCase{"V1_2_early", "#ROSRECORD V1.2\n", add_v1_2, 1, 0, 0, false,
                      definition_bytes_1_2()},
        OldDamageCase{"V1_2_unclosed", unclosed_head_1_2(), add_unclosed_v1_2, 1, 0, 0, true,
                      definition_bytes_1_2()}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace kitbag::rosbag
