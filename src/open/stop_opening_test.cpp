#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/session.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

/// A file that requests a stop with its last read, and counts the reads.
class CountingFile final : public ReadFile {
 public:
  CountingFile(std::shared_ptr<const ReadFile> file, std::uint64_t last_read)
      : file_(std::move(file)), last_read_(last_read) {}

  std::uint64_t size() const override { return file_->size(); }
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (++reads == last_read_) stop.request_stop();
    return file_->read(offset, into);
  }

  mutable std::uint64_t reads = 0;
  mutable std::stop_source stop;

 private:
  std::shared_ptr<const ReadFile> file_;
  std::uint64_t last_read_;
};

class StopOpeningTest : public testing::TestWithParam<const char*> {
 protected:
  /// A bag that has lost its end, and its index with it.
  void SetUp() override {
    path_ = folder_.path(std::string("cut") + GetParam());
    WriteOptions options;
    options.chunk_bytes = 4096;
    if (std::string(GetParam()) == ".old.bag") options.format_version = "1.2";
    auto writer = session_.create(path_, options);
    auto source = session_.open("demo://?seconds=2&seed=7")->read();
    Batch batch;
    for (; source->read(batch, {}); batch = Batch()) writer->write(std::move(batch));
    writer->close();
    std::filesystem::resize_file(path_, std::filesystem::file_size(path_) * 9 / 10);
  }

  std::shared_ptr<const CountingFile> file(std::uint64_t last_read) {
    return std::make_shared<CountingFile>(open_file(path_), last_read);
  }
  BagPtr open(const std::shared_ptr<const CountingFile>& file) {
    ReadOptions options;
    options.on_problem = [](const Error&) {};
    options.stop = file->stop.get_token();
    return session_.open(Input{path_, {}, file}, options);
  }

  TemporaryFolder folder_;
  Session session_;
  std::string path_;
};

INSTANTIATE_TEST_SUITE_P(Formats, StopOpeningTest, testing::Values(".bag", ".old.bag", ".mcap"));

TEST_P(StopOpeningTest, AScanEndsWhereItIsStopped) {
  auto whole = file(0);
  open(whole);
  ASSERT_GT(whole->reads, 5U);
  for (std::uint64_t last_read : {std::uint64_t{1}, whole->reads / 2, whole->reads - 1}) {
    auto stopped = file(last_read);
    EXPECT_ERROR(cancelled, open(stopped)) << last_read;
    EXPECT_EQ(stopped->reads, last_read);
  }
}

TEST_P(StopOpeningTest, AnOpenedBagIsNotStopped) {
  auto opened = file(0);
  BagPtr bag = open(opened);
  opened->stop.request_stop();
  auto source = bag->read();
  std::uint64_t messages = 0;
  Batch batch;
  for (; source->read(batch, {}); batch.clear()) {
    messages += std::as_const(batch).messages().size();
  }
  EXPECT_EQ(messages, bag->summary().messages);
  EXPECT_GT(messages, 100U);
}

}  // namespace
}  // namespace kitbag
