#include <gtest/gtest.h>

#include "io/file_slice.h"
#include "kitbag/error.h"
#include "kitbag/file.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::thrown_by;

TEST(SaveFile, WritesTheWholeFile) {
  TemporaryFolder folder;
  std::string content(3 << 20, 'x');
  save_file(*memory_file(as_bytes(content)), folder.path("out"));
  EXPECT_EQ(folder.read("out"), content);
}

TEST(SaveFile, ReplacesOnlyWhereItMay) {
  TemporaryFolder folder;
  folder.write("out", "old");
  auto file = memory_file(as_bytes("new"));
  EXPECT_EQ(thrown_by([&] { save_file(*file, folder.path("out")); }).code(), ErrorCode::exists);
  EXPECT_EQ(folder.read("out"), "old");
  save_file(*file, folder.path("out"), true);
  EXPECT_EQ(folder.read("out"), "new");
}

TEST(SaveFile, WhatEndsTooSoonIsNotThere) {
  TemporaryFolder folder;
  FileSlice file(memory_file(as_bytes("short")), 0, 10);
  EXPECT_EQ(thrown_by([&] { save_file(file, folder.path("out")); }).code(), ErrorCode::truncated);
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace kitbag
