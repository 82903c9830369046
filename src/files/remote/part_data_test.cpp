#include "files/remote/part_data.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/thrown_by.h"

namespace kitbag::remote {
namespace {

std::string content_of(const PartData& part) {
  std::string text(part.size() + 1, '?');
  text.resize(part.read(0, std::as_writable_bytes(std::span(text))));
  return text;
}

/// In memory, and in a file.
class PartDataTest : public testing::TestWithParam<std::uint64_t> {
 protected:
  std::shared_ptr<PartMemory> memory_ = std::make_shared<PartMemory>();
  void SetUp() override { memory_->most_bytes = GetParam(); }
};

TEST_P(PartDataTest, AppendsRewritesAndReads) {
  PartData part(memory_, 10);
  part.append(as_bytes("abcd"));
  part.append(as_bytes("efgh"));
  part.rewrite(3, as_bytes("XY"));
  EXPECT_EQ(content_of(part), "abcXYfgh");
  EXPECT_EQ(part.room_bytes(), 2);
  EXPECT_ERROR(invalid, part.append(as_bytes("ijk")));
  EXPECT_ERROR(invalid, part.rewrite(7, as_bytes("12")));
  EXPECT_ERROR(invalid, part.rewrite(9, {}));
  std::byte last{};
  EXPECT_EQ(part.read(7, std::span(&last, 1)), 1U);
  EXPECT_EQ(last, std::byte{'h'});
  EXPECT_EQ(part.read(8, std::span(&last, 1)), 0U);
}

INSTANTIATE_TEST_SUITE_P(Places, PartDataTest, testing::Values(std::uint64_t{100}, 0U));

TEST(PartMemory, BeyondItsLimitPartsAreFiles) {
  auto memory = std::make_shared<PartMemory>();
  memory->most_bytes = 25;
  auto first = std::make_unique<PartData>(memory, 10);
  PartData second(memory, 10);
  EXPECT_EQ(memory->used_bytes, 20U);
  PartData third(memory, 10);
  EXPECT_EQ(memory->used_bytes, 20U);
  first.reset();
  PartData fourth(memory, 10);
  EXPECT_EQ(memory->used_bytes, 20U);
}

TEST(PartMemory, AFolderThatIsNotThere) {
  auto memory = std::make_shared<PartMemory>();
  memory->most_bytes = 0;
  const char* old = std::getenv("TMPDIR");
  std::string kept = old ? old : "";
  ::setenv("TMPDIR", "/nowhere/at/all", 1);
  EXPECT_ERROR(io, PartData(memory, 10));
  old ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
}

}  // namespace
}  // namespace kitbag::remote
