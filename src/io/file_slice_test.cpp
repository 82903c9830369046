#include "io/file_slice.h"

#include <gtest/gtest.h>

#include <array>

namespace kitbag {
namespace {

std::string read_slice(const FileSlice& slice, std::uint64_t offset, std::size_t count) {
  std::string text(count, '?');
  text.resize(slice.read(offset, std::as_writable_bytes(std::span(text))));
  return text;
}

TEST(FileSlice, GivesItsBytesAndNoOthers) {
  FileSlice slice(memory_file(as_bytes("0123456789")), 3, 4);
  EXPECT_EQ(slice.size(), 4U);
  EXPECT_EQ(read_slice(slice, 0, 10), "3456");
  EXPECT_EQ(read_slice(slice, 2, 1), "5");
  EXPECT_EQ(read_slice(slice, 3, 9), "6");
  EXPECT_EQ(read_slice(slice, 4, 1), "");
  EXPECT_EQ(read_slice(slice, UINT64_MAX, 1), "");
}

TEST(FileSlice, EndsWhereTheFileEnds) {
  FileSlice slice(memory_file(as_bytes("0123456789")), 8, 4);
  EXPECT_EQ(read_slice(slice, 0, 10), "89");
  EXPECT_EQ(read_slice(slice, 3, 10), "");
}

}  // namespace
}  // namespace kitbag
