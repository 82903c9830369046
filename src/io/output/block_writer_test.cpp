#include "io/output/block_writer.h"

#include <gmock/gmock.h>

#include <cstring>

#include "io/output/blocks.h"
#include "io/output/test_output.h"
#include "kitbag/bytes.h"
#include "tests/support/skip_or_fail.h"
#include "tests/support/temporary_folder.h"

namespace kitbag {
namespace {

using test::FileSizeLimit;
using test::numbered_text;

constexpr std::size_t kTestBlockBytes = 64 * 1024;
constexpr unsigned kTestBlocks = 6;

/// Both writers, on a plain file: nothing here needs O_DIRECT.
class BlockWriters : public testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<BlockWriter> make_writer(int file) {
    if (GetParam() == std::string("thread")) return make_thread_writer(file);
    return make_ring_writer(file, blocks_.all(), kTestBlocks);
  }

  void SetUp() override {
    text_ = numbered_text(blocks_.all().size());
    std::memcpy(blocks_.all().data(), text_.data(), text_.size());
    file_ = test::open_new(folder_.path("a"));
    writer_ = make_writer(file_.get());
    if (!writer_) KITBAG_SKIP_WITHOUT("io_uring", "this machine has no io_uring, or forbids it");
  }

  BlockWrite write_of(unsigned block) const {
    return {block, blocks_[block], kTestBlockBytes, block * kTestBlockBytes};
  }

  TemporaryFolder folder_;
  Blocks blocks_{kTestBlocks, kTestBlockBytes};
  std::string text_;
  Descriptor file_;
  std::unique_ptr<BlockWriter> writer_;
};

INSTANTIATE_TEST_SUITE_P(Both, BlockWriters, testing::Values("ring", "thread"),
                         [](const auto& way) { return std::string(way.param); });

TEST_P(BlockWriters, WritesManyAtOnceAndTellsEachEndOnce) {
  for (unsigned block = 0; block < kTestBlocks; ++block) writer_->submit(write_of(block));
  std::vector<unsigned> ended;
  while (auto end = writer_->finished(true)) {
    EXPECT_EQ(end->error, 0);
    ended.push_back(end->block);
  }
  EXPECT_THAT(ended, testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_TRUE(test::file_text(folder_.path("a")) == text_);
}

TEST_P(BlockWriters, ABlockIsUsedAgain) {
  for (int round = 0; round < 20; ++round) {
    writer_->submit({1, blocks_[1], kTestBlockBytes, 0});
    auto end = writer_->finished(true);
    ASSERT_TRUE(end);
    EXPECT_EQ(end->block, 1U);
    EXPECT_EQ(end->error, 0);
  }
  EXPECT_TRUE(test::file_text(folder_.path("a")) == text_.substr(kTestBlockBytes, kTestBlockBytes));
}

TEST_P(BlockWriters, NothingUnderWayHasNoEnd) {
  EXPECT_FALSE(writer_->finished(false));
  EXPECT_FALSE(writer_->finished(true));
}

TEST_P(BlockWriters, AsksWithoutWaiting) {
  writer_->submit(write_of(0));
  std::optional<BlockEnd> end;
  for (int i = 0; i < 1'000'000 && !end; ++i) end = writer_->finished(false);
  if (!end) end = writer_->finished(true);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->error, 0);
}

TEST_P(BlockWriters, WaitsForWhatIsUnderWayBeforeItGoes) {
  for (unsigned block = 0; block < kTestBlocks; ++block) writer_->submit(write_of(block));
  writer_.reset();
  EXPECT_TRUE(test::file_text(folder_.path("a")) == text_);
}

TEST_P(BlockWriters, TellsWhatTheSystemRefuses) {
  Descriptor read_only = open_descriptor(folder_.path("a"), O_RDONLY);
  auto writer = make_writer(read_only.get());
  writer->submit(write_of(3));
  auto end = writer->finished(true);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->block, 3U);
  EXPECT_EQ(end->error, EBADF);
  EXPECT_FALSE(writer->finished(true));
}

TEST_P(BlockWriters, AShortWriteGoesOnUntilItIsTold) {
  FileSizeLimit limit(kTestBlockBytes + 4096);
  writer_->submit(write_of(0));
  auto first = writer_->finished(true);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->error, 0);
  writer_->submit(write_of(1));  // of this, the system takes 4096 bytes
  auto second = writer_->finished(true);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->error, EFBIG);
  EXPECT_TRUE(test::file_text(folder_.path("a")) == text_.substr(0, kTestBlockBytes + 4096));
}

TEST(Blocks, AreZerosAlignedForEveryDevice) {
  Blocks blocks(3, 8192);
  EXPECT_EQ(blocks.all().size(), 3U * 8192);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blocks[0]) % 4096, 0U);
  EXPECT_EQ(blocks[2], blocks.all().data() + 2 * 8192);
  for (std::byte byte : blocks.all()) ASSERT_EQ(byte, std::byte{0});
  std::byte* first = blocks[0];
  Blocks moved(std::move(blocks));
  EXPECT_EQ(moved[0], first);
  *moved[2] = std::byte{1};
}

}  // namespace
}  // namespace kitbag
