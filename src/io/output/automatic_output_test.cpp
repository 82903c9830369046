#include "io/output/automatic_output.h"

#include <gmock/gmock.h>

#include "io/output/test_output.h"
#include "tests/support/manual_clock.h"
#include "tests/support/skip_or_fail.h"
#include "tests/support/temporary_folder.h"

namespace kitbag {
namespace {

using std::chrono::milliseconds;
using test::numbered_text;

class Automatic : public testing::Test {
 protected:
  /// 1000 bytes a millisecond are the limit, over stretches of 100,000 bytes.
  OutputOptions options() {
    return {.io = Io::automatic,
            .direct = {.block_bytes = 8192, .blocks = 3},
            .automatic = {.stretch_bytes = 100'000, .bytes_per_s = 1e6, .now = [this] {
                            return clock_.steady();
                          }}};
  }

  void SetUp() override {
    if (test::kind_here({.io = Io::direct}, folder_.path()) == "buffered") {
      KITBAG_SKIP_WITHOUT("direct", "nothing can be written directly in " + folder_.path());
    }
    output_ = make_output(test::open_new(folder_.path("a")), folder_.path("a"), 0, options());
  }

  void append(std::size_t count, milliseconds taken) {
    clock_.advance(taken);
    std::string piece = numbered_text(count);
    ByteView bytes = as_bytes(piece);
    output_->append(std::span(&bytes, 1));
    expected_ += piece;
  }
  bool is_buffered() const { return output_->kind() == "buffered"; }

  ManualClock clock_;
  TemporaryFolder folder_;
  std::unique_ptr<Output> output_;
  std::string expected_;
};

TEST_F(Automatic, StaysBufferedWhileSmall) {
  append(99'999, milliseconds(0));
  EXPECT_TRUE(is_buffered());
  output_->close();
  EXPECT_TRUE(test::file_text(folder_.path("a")) == expected_);
}

TEST_F(Automatic, GoesOnDirectlyWhenLargeAndFast) {
  for (int i = 0; i < 100; ++i) append(1'001, milliseconds(1));
  EXPECT_FALSE(is_buffered());
  append(50'000, milliseconds(1000));  // once direct, always direct
  EXPECT_FALSE(is_buffered());
  EXPECT_EQ(output_->size(), expected_.size());
  output_->close();
  EXPECT_TRUE(test::file_text(folder_.path("a")) == expected_);
}

TEST_F(Automatic, StaysBufferedWhileSlow) {
  for (int i = 0; i < 1000; ++i) append(999, milliseconds(1));
  EXPECT_TRUE(is_buffered());
  output_->close();
  EXPECT_TRUE(test::file_text(folder_.path("a")) == expected_);
}

TEST_F(Automatic, SeesWhatBecomesFastLater) {
  append(150'000, milliseconds(10'000));
  EXPECT_TRUE(is_buffered());
  append(90'000, milliseconds(1));  // the next stretch is not whole
  EXPECT_TRUE(is_buffered());
  append(10'001, milliseconds(1));
  EXPECT_FALSE(is_buffered());
}

TEST_F(Automatic, OneLargePieceIsEnough) {
  append(5'000'000, milliseconds(10));
  EXPECT_FALSE(is_buffered());
  append(3, milliseconds(0));
  output_->rewrite(0, as_bytes("first"));
  output_->rewrite(4'999'999, as_bytes("last"));
  output_->close();
  EXPECT_TRUE(test::file_text(folder_.path("a")) ==
              "first" + expected_.substr(5, 4'999'994) + "last");
}

TEST_F(Automatic, CountsOnlyWhatItWrites) {
  std::string path = folder_.write("b", numbered_text(1'000'000));
  Descriptor file = open_descriptor(path, O_RDWR);
  ASSERT_EQ(::lseek(file.get(), 0, SEEK_END), 1'000'000);
  output_ = make_output(std::move(file), path, 1'000'000, options());
  append(99'999, milliseconds(0));
  EXPECT_TRUE(is_buffered());
  append(1, milliseconds(0));
  EXPECT_FALSE(is_buffered());
  output_->close();
  EXPECT_TRUE(test::file_text(folder_.path("b")) == numbered_text(1'000'000) + expected_);
}

TEST_F(Automatic, StaysBufferedWhereDirectIsImpossible) {
  OutputOptions none = options();
  none.direct.may_use_ring = false;
  none.direct.may_use_thread = false;
  output_ = make_output(test::open_new(folder_.path("b")), folder_.path("b"), 0, none);
  for (int i = 0; i < 10; ++i) append(70'007, milliseconds(0));
  EXPECT_TRUE(is_buffered());
  output_->close();
  EXPECT_TRUE(test::file_text(folder_.path("b")) == expected_);
}

}  // namespace
}  // namespace kitbag
