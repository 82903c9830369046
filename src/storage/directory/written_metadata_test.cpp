#include "storage/directory/written_metadata.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temporary_folder.h"

namespace kitbag::directory {
namespace {

class Written : public ::testing::Test {
 protected:
  void write(const std::string& text) {
    folder_.write("next", text);
    std::filesystem::rename(folder_.path("next"), folder_.path("metadata.yaml"));
  }
  std::optional<FileStatus> status() const { return files_->status(folder_.path("metadata.yaml")); }
  std::optional<rosbag2::BagMetadata> found() const {
    return written_.find(*files_, folder_.path(""));
  }
  static rosbag2::BagMetadata counting(std::uint64_t messages) {
    rosbag2::BagMetadata metadata;
    metadata.messages = messages;
    return metadata;
  }

  TemporaryFolder folder_;
  FileSystemPtr files_ = local_file_system();
  WrittenMetadata written_;
};

TEST_F(Written, IsKnownUntilTheFileIsAnother) {
  write("one");
  written_.keep(*files_, folder_.path(""), counting(1), status());
  ASSERT_TRUE(found());
  EXPECT_EQ(found()->messages, 1U);
  write("another");
  EXPECT_FALSE(found());
}

// The lock of a writer goes with the file that it replaces: between its file and the memory of it,
// another writer may have replaced that file, and its entry would be lost.
TEST_F(Written, IsNotTakenForTheFileOfAnotherWriter) {
  write("one");
  auto own = status();
  write("another");
  written_.keep(*files_, folder_.path(""), counting(1), own);
  EXPECT_FALSE(found());
}

}  // namespace
}  // namespace kitbag::directory
