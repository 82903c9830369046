#include "storage/rosbag/whole_file.h"

#include <bzlib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "compress/compression.h"
#include "compress/stream.h"
#include "storage/rosbag/old/test_bag.h"
#include "storage/rosbag/old/v1_2.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag::rosbag {
namespace {

using test::thrown_by;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string packed_by_gz(ByteView content) {
  std::string packed(content.size() + 1000, '\0');
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(content.data()));
  stream.avail_in = static_cast<unsigned>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<unsigned>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string packed_by_bz2(ByteView content) {
  Buffer packed;
  make_compressor("bz2")->compress(content, packed);
  return std::string(as_text(packed.view()));
}

/// 300 messages that do not compress well.
OldBag bag_to_pack(std::string_view version) {
  OldBag bag;
  if (version == "1.2") bag.text(kLine1_2);
  if (version == "1.1") bag.text("#ROSRECORD V1.1\n");
  if (version == "1.0") bag.text("#ROSLOG V1.0\n0001\n/t\n*\nstd_msgs/String\n");
  if (version == "0") bag.text("/t\n").text(kStringMd5).text("\nstd_msgs/String\n");
  std::uint32_t random = 1;
  for (std::uint32_t i = 1; i <= 300; ++i) {
    std::string data;
    for (int k = 0; k < 50; ++k) {
      random = random * 1664525 + 1013904223;
      data += OldBag::number(random);
    }
    if (version == "1.2") bag.message_1_2("/t", i, data);
    if (version == "1.1") bag.text("/t\n*\nstd_msgs/String\n");
    if (version == "1.0") bag.text("/t\n");
    if (version != "1.2") bag.message(i, 0, data);
  }
  return bag;
}

class WholeFile : public ::testing::TestWithParam<std::string> {
 protected:
  std::string pack(const OldBag& bag) const {
    return GetParam() == "gz" ? packed_by_gz(bag.bytes.view()) : packed_by_bz2(bag.bytes.view());
  }
  static OldBag file_of(std::string_view packed) {
    OldBag file;
    file.text(packed);
    return file;
  }
};

TEST_P(WholeFile, OfEveryOldVersionIsRead) {
  for (std::string version : {"0", "1.0", "1.1", "1.2"}) {
    OldBag bag = bag_to_pack(version);
    OldBag file = file_of(pack(bag));
    EXPECT_EQ(rosbag_format().matches(file.input()), version == "0" ? 60 : 100) << version;
    BagPtr opened = file.open_strictly();
    EXPECT_EQ(opened->summary().version, version);
    EXPECT_EQ(opened->summary().messages, 300U);
    EXPECT_EQ(opened->summary().whole_file_compression, GetParam());
    EXPECT_EQ(opened->summary().size_bytes, file.bytes.size());
    EXPECT_EQ(opened->summary().certainty, version == "0" ? 60 : 100);
    EXPECT_EQ(told_in_file_order(*opened), told_in_file_order(*bag.open_strictly()));
    EXPECT_THAT(file.findings(), IsEmpty());
  }
}

TEST_P(WholeFile, ThatIsNoBagIsNotTakenForOne) {
  OldBag text;
  text.text(std::string(10'000, 'x'));
  EXPECT_EQ(rosbag_format().matches(file_of(pack(text)).input()), 0);
  EXPECT_EQ(rosbag_format().matches(file_of(pack(OldBag())).input()), 0);
  EXPECT_EQ(rosbag_format().matches(file_of("BZh9 is no stream").input()), 0);
  EXPECT_EQ(rosbag_format().matches(file_of("\x1f\x8b neither").input()), 0);
}

TEST_P(WholeFile, CutOffGivesWhatCameOut) {
  OldBag bag = bag_to_pack("1.1");
  for (int i = 0; i < 5; ++i) bag.text(as_text(bag_to_pack("1.1").bytes.view()).substr(16));
  std::string packed = pack(bag);
  // bzip2 gives a block when it is whole, so two streams stand for two blocks.
  std::string two = packed + packed.substr(0, packed.size() / 2);
  OldBag file = file_of(two);
  BagPtr opened = file.open();
  EXPECT_GE(opened->summary().messages, 1800U);
  ASSERT_GE(file.problems.size(), 1U);
  EXPECT_THAT(file.problems[0], AllOf(HasSubstr("its " + GetParam() +
                                                " stream is not whole: the "
                                                "file ends inside it"),
                                      HasSubstr("bytes came out")));
  EXPECT_THAT(file.findings(), ::testing::SizeIs(file.problems.size() + 1)) << "and the order";
  EXPECT_EQ(thrown_by([&] { file.open_strictly(); }).code(), ErrorCode::truncated);
}

TEST_P(WholeFile, DamagedGivesWhatCameOut) {
  std::string packed = pack(bag_to_pack("1.1"));
  std::string damaged = packed + packed;
  damaged[packed.size() + packed.size() / 2] ^= 0x55;
  OldBag file = file_of(damaged);
  std::vector<Error> problems;
  ReadOptions options{.on_problem = [&](const Error& e) { problems.push_back(e); }};
  BagPtr opened = rosbag_format().open(file.input(), options, {});
  EXPECT_GE(opened->summary().messages, 300U);
  ASSERT_GE(problems.size(), 1U);
  EXPECT_EQ(problems[0].code(), ErrorCode::corrupt);
  EXPECT_GT(problems[0].offset(), packed.size());
  EXPECT_EQ(problems[0].loss().value().bytes, damaged.size() - problems[0].offset());
}

TEST_P(WholeFile, FollowedBySomethingElseIsTold) {
  OldBag file = file_of(pack(bag_to_pack("1.1")) + "what is this");
  EXPECT_EQ(file.open()->summary().messages, 300U);
  EXPECT_THAT(file.problems, ElementsAre(HasSubstr("something else stands behind its end")));
}

TEST_P(WholeFile, DamageInsideItIsToldByThePlaceInTheContent) {
  OldBag bag = bag_to_pack("1.1");
  std::size_t size = bag.bytes.size();
  bag.text("garbage");
  OldBag file = file_of(pack(bag));
  file.open();
  EXPECT_THAT(file.problems,
              ElementsAre(HasSubstr("old.bag (unpacked) at byte " + std::to_string(size))));
}

TEST_P(WholeFile, BeyondTheLimitIsRefused) {
  OldBag file = file_of(pack(bag_to_pack("1.1")));
  auto open_within = [&](std::uint64_t limit) { unpack(file.input(), GetParam(), {}, limit); };
  open_within(std::uint64_t{1} << 30);
  Error error = thrown_by([&] { open_within(1000); });
  EXPECT_EQ(error.code(), ErrorCode::unsupported);
  EXPECT_THAT(error.what(), HasSubstr("unpacks to more than 1000 B"));
}

TEST_P(WholeFile, WithoutRoomIsAnError) {
  OldBag file = file_of(pack(bag_to_pack("1.1")));
  TemporaryFolder folder;
  const char* before = ::getenv("TMPDIR");
  std::string place = before ? before : "";
  ::setenv("TMPDIR", folder.path("absent").c_str(), 1);
  Error error = thrown_by([&] { file.open_strictly(); });
  if (place.empty()) ::unsetenv("TMPDIR");
  if (!place.empty()) ::setenv("TMPDIR", place.c_str(), 1);
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_THAT(error.what(),
              AllOf(HasSubstr("must be unpacked into a temporary file"), HasSubstr("TMPDIR")));
}

TEST_P(WholeFile, CannotBeAppendedTo) {
  TemporaryFolder folder;
  std::string path = folder.write("old.bag", pack(bag_to_pack("1.1")));
  EXPECT_THAT(thrown_by([&] { rosbag_format().append(path, {}, {}); }).what(),
              HasSubstr("compressed as a whole"));
}

INSTANTIATE_TEST_SUITE_P(Compressions, WholeFile, ::testing::Values("gz", "bz2"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace kitbag::rosbag
