#include "io/output/direct_output.h"

#include <gmock/gmock.h>

#include <map>
#include <random>

#include "io/output/test_output.h"
#include "io/sticky.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

// The rules of direct output towards the kernel, checked by a writer that is the kernel: writes end
// late and in any order, and until then nobody may touch the block or the place in the file.

namespace kitbag {
namespace {

using test::numbered_text;
using test::thrown_by;

constexpr std::size_t kPage = 4096;

struct StrictWriter final : BlockWriter {
  explicit StrictWriter(int descriptor) : file(descriptor) {}

  void submit(const BlockWrite& write) override {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(write.data) % kPage, 0U);
    EXPECT_EQ(write.size % kPage, 0U);
    EXPECT_EQ(write.offset % kPage, 0U);
    EXPECT_GT(write.size, 0U);
    for (const auto& [block, other] : under_way) {
      EXPECT_NE(block, write.block) << "it is under way";
      bool is_apart = write.offset + write.size <= other.write.offset ||
                      other.write.offset + other.write.size <= write.offset;
      EXPECT_TRUE(is_apart) << "two writes of one page, at byte " << write.offset;
    }
    under_way[write.block] = {write, std::string(as_text({write.data, write.size}))};
    most_under_way = std::max(most_under_way, under_way.size());
    bytes += write.size;
    ++writes;
  }

  std::optional<BlockEnd> finished(bool waits) override {
    if (under_way.empty() || (!waits && random() % 2 == 0)) return std::nullopt;
    auto it =
        std::next(under_way.begin(), static_cast<std::ptrdiff_t>(random() % under_way.size()));
    auto [write, content] = it->second;
    under_way.erase(it);
    EXPECT_EQ(as_text({write.data, write.size}), content) << "changed while it was under way";
    if (failing_offset >= write.offset && failing_offset < write.offset + write.size) {
      return BlockEnd{write.block, EIO};
    }
    EXPECT_EQ(write_at(file, write.offset, {write.data, write.size}), 0);
    return BlockEnd{write.block, 0};
  }

  struct UnderWay {
    BlockWrite write;
    std::string content;
  };

  int file;
  std::map<unsigned, UnderWay> under_way;
  std::size_t most_under_way = 0;
  std::uint64_t bytes = 0;
  std::uint64_t writes = 0;
  std::uint64_t failing_offset = UINT64_MAX;
  std::minstd_rand random;
};

class StrictOutput : public testing::Test {
 protected:
  void begin(std::size_t blocks = 4, std::size_t block_bytes = 4 * kPage) {
    Descriptor file = test::open_new(folder_.path("a"));
    auto writer = std::make_unique<StrictWriter>(file.get());
    writer_ = writer.get();
    ASSERT_EQ(set_direct(file.get(), false), 0);
    output_ =
        std::make_unique<DirectOutput>(std::move(file), folder_.path("a"), 0, kPage, 16 * kPage,
                                       Blocks(blocks, block_bytes), std::move(writer), "strict");
  }

  void append(const std::string& text) {
    ByteView bytes = as_bytes(text);
    output_->append(std::span(&bytes, 1));
  }

  TemporaryFolder folder_;
  StrictWriter* writer_ = nullptr;
  std::unique_ptr<DirectOutput> output_;
};

TEST_F(StrictOutput, KeepsAllBlocksUnderWayButOne) {
  begin(4);
  std::string text = numbered_text(300'000);
  append(text);
  EXPECT_EQ(writer_->most_under_way, 4U);  // for a moment, until one of them ends
  output_->close();
  EXPECT_TRUE(test::file_text(folder_.path("a")) == text);
}

TEST_F(StrictOutput, WritesEveryPageOnceWithoutFlushes) {
  begin();
  append(numbered_text(10 * kPage + 1));
  output_->flush();
  EXPECT_EQ(writer_->bytes, 11 * kPage);
}

TEST_F(StrictOutput, AFlushWritesOnlyWhatIsNew) {
  begin();
  append(numbered_text(kPage + 10));
  output_->flush();
  EXPECT_EQ(writer_->bytes, 2 * kPage);
  output_->flush();  // nothing is new
  EXPECT_EQ(writer_->writes, 1U);
  append("x");
  output_->flush();  // the second page again
  EXPECT_EQ(writer_->bytes, 3 * kPage);
  append(std::string(2 * kPage, 'y'));
  output_->flush();  // it and the next two
  EXPECT_EQ(writer_->bytes, 6 * kPage);
}

TEST_F(StrictOutput, AFlushLeavesNothingUnderWay) {
  begin();
  append(numbered_text(100'000));
  output_->flush();
  EXPECT_TRUE(writer_->under_way.empty());
  EXPECT_TRUE(test::file_text(folder_.path("a")).starts_with(numbered_text(100'000)));
}

TEST_F(StrictOutput, WhatIsBehindTheEndIsZeros) {
  begin();
  std::string text = numbered_text(100'001);  // every block has been used
  append(text);
  output_->flush();
  std::string written = test::file_text(folder_.path("a"));
  ASSERT_GT(written.size(), text.size());
  text.resize(written.size(), '\0');
  EXPECT_TRUE(written == text);
}

TEST_F(StrictOutput, PatchesWhatIsInMemoryWithoutWriting) {
  begin();
  append(numbered_text(100));
  output_->rewrite(10, as_bytes("PATCH"));
  EXPECT_EQ(writer_->writes, 0U);
  output_->flush();
  output_->rewrite(10, as_bytes("patch"));  // in the file, but still here too
  EXPECT_EQ(writer_->writes, 1U);
  output_->close();
  std::string expected = numbered_text(100);
  expected.replace(10, 5, "patch");
  EXPECT_EQ(test::file_text(folder_.path("a")), expected);
}

TEST_F(StrictOutput, IsAsLongAsItsBytesWhenSettled) {
  begin();
  append(numbered_text(5 * kPage + 17));
  output_->flush();
  EXPECT_GT(test::file_text(folder_.path("a")).size(), 5 * kPage + 17);
  output_->settle();
  EXPECT_TRUE(test::file_text(folder_.path("a")) == numbered_text(5 * kPage + 17));
  append("and on");
  output_->close();
  EXPECT_TRUE(test::file_text(folder_.path("a")) == numbered_text(5 * kPage + 17) + "and on");
}

TEST_F(StrictOutput, AnErrorReachesTheNextCallThatLooks) {
  begin();
  writer_->failing_offset = 5 * kPage;
  Error error = thrown_by([&] {
    append(numbered_text(100 * kPage));
    output_->flush();
  });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_EQ(error.file(), folder_.path("a"));
  EXPECT_THAT(error.what(), testing::HasSubstr("cannot write: input/output error"));
}

TEST_F(StrictOutput, EndsWhatIsUnderWayWhenAbandoned) {
  begin(4, kPage);
  writer_->failing_offset = 0;
  EXPECT_EQ(thrown_by([&] {
              append(numbered_text(100 * kPage));
              output_->flush();
            }).code(),
            ErrorCode::io);
  output_->abandon();
  EXPECT_TRUE(writer_->under_way.empty());
}

TEST_F(StrictOutput, AnySequenceOfCallsKeepsTheRules) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    begin(2 + seed % 3, (1 + seed % 4) * kPage);
    writer_->random.seed(seed + 1);
    std::minstd_rand random(seed + 100);
    std::string expected;
    for (int step = 0; step < 300; ++step) {
      std::string piece(test::sample_text(random() % (3 * kPage), random()));
      switch (random() % 8) {
        case 0:
          output_->flush();
          break;
        case 1:
          if (expected.size() > piece.size()) {
            std::size_t at = random() % (expected.size() - piece.size());
            output_->rewrite(at, as_bytes(piece));
            expected.replace(at, piece.size(), piece);
          }
          break;
        case 2:
          if (random() % 8 == 0) output_->settle();
          break;
        default:
          append(piece);
          expected += piece;
      }
      ASSERT_EQ(output_->size(), expected.size());
    }
    output_->settle();
    output_->close();
    ASSERT_TRUE(test::file_text(folder_.path("a")) == expected) << "seed " << seed;
    output_.reset();
    std::filesystem::remove(folder_.path("a"));
  }
}

TEST(StickyCalls, ThrowTheFirstErrorEverAfter) {
  Sticky sticky;
  int calls = 0;
  auto fail = [&] {
    ++calls;
    throw Error(ErrorCode::io, "number " + std::to_string(calls));
  };
  sticky.run([&] { ++calls; });
  EXPECT_STREQ(thrown_by([&] { sticky.run(fail); }).what(), "number 2");
  EXPECT_STREQ(thrown_by([&] { sticky.run(fail); }).what(), "number 2");
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace kitbag
