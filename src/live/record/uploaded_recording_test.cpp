// Recordings whose files are uploaded, to a folder or to a store in memory.

#include <gmock/gmock.h>

#include <filesystem>

#include "kitbag/error.h"
#include "kitbag/file_system.h"
#include "kitbag/open.h"
#include "kitbag/record.h"
#include "kitbag/upload.h"
#include "tests/support/memory_source.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::Samples;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Gives eight messages and ends.
class EightMessages final : public Subscriber {
 public:
  explicit EightMessages(Feed& feed) : feed_(feed) {
    Channel channel;
    channel.topic = "/tick";
    channel.encoding = "json";
    auto tick = feed.add(channel);
    for (int i = 0; i < 8; ++i) {
      Time time = from_ns((1'700'000'000 + i) * std::int64_t{1'000'000'000});
      feed.push({tick.get(), 0, 0, time, time, as_bytes(std::to_string(i))});
    }
    feed.close();
  }
  void stop() override { feed_.close(); }

 private:
  Feed& feed_;
};

class UploadedRecordingTest : public ::testing::Test {
 protected:
  UploadedRecordingTest() {
    Transport transport;
    transport.scheme = "eight";
    transport.subscribe = [](const Location&, const Subscription&, Feed& feed, const Session&) {
      return std::unique_ptr<Subscriber>(std::make_unique<EightMessages>(feed));
    };
    Registry registry = standard_registry();
    registry.transports.push_back(transport);
    session_ = Session(std::move(registry));
    options_.from = {"eight://"};
    options_.target.path = folder_.path("x.mcap");
    options_.target.split.messages = 3;
    options_.target.uploader =
        std::make_shared<Uploader>(UploadOptions{.target = "memory://store/{date}"}, session_);
  }

  RecordStatus record() {
    options_.on_warning = [this](const Error& warning) { warnings_.push_back(warning.message()); };
    return Recorder(options_, session_).run({});
  }

  void finish() { EXPECT_TRUE(options_.target.uploader->finish({})); }

  std::vector<std::string> stored(const std::string& folder) const {
    auto names = session_.file_system("memory://")->list(folder);
    std::sort(names.begin(), names.end());
    return names;
  }

  std::vector<std::string> texts(const std::string& uri) const {
    std::vector<std::string> found;
    auto source = session_.open(uri)->read();
    for (Batch batch; source->read(batch, {}); batch.clear()) {
      for (auto& sample : test::samples_of(batch)) found.push_back(sample.data);
    }
    return found;
  }

  /// Of all files in a folder, one after the other.
  std::vector<std::string> texts_in(const std::string& folder) const {
    std::vector<std::string> found;
    for (const std::string& name : stored(folder)) {
      for (std::string& text : texts(folder + "/" + name)) found.push_back(std::move(text));
    }
    return found;
  }

  TemporaryFolder folder_;
  Session session_;
  RecordOptions options_;
  std::vector<std::string> warnings_;
};

TEST_F(UploadedRecordingTest, EachFileIsUploadedWhenItIsComplete) {
  RecordStatus status = record();
  ASSERT_TRUE(status.upload);
  finish();
  EXPECT_THAT(stored("memory://store"), ElementsAre("2023-11-14"));
  EXPECT_THAT(stored("memory://store/2023-11-14"), ElementsAre("x_0.mcap", "x_1.mcap", "x_2.mcap"));
  EXPECT_THAT(texts_in("memory://store/2023-11-14"),
              ElementsAre("0", "1", "2", "3", "4", "5", "6", "7"));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(UploadedRecordingTest, FilesOfEarlierRunsAreUploadedToo) {
  auto uploader = std::exchange(options_.target.uploader, nullptr);
  record();
  folder_.write("x_7.mcap.active", folder_.read("x_1.mcap"));
  options_.target.uploader = uploader;
  options_.target.repairs_leftovers = true;
  RecordStatus status = record();
  finish();
  EXPECT_THAT(status.files, ElementsAre(folder_.path("x_8.mcap"), folder_.path("x_9.mcap"),
                                        folder_.path("x_10.mcap")));
  EXPECT_THAT(stored("memory://store/2023-11-14"), SizeIs(::testing::Ge(6)));
}

TEST_F(UploadedRecordingTest, ADirectoryIsOneBagInTheTarget) {
  for (const char* format : {"mcap", "sqlite3"}) {
    options_.target.path = folder_.path(format) + "/";
    options_.target.write.format = format;
    record();
    finish();
    std::string there = std::string("memory://store/2023-11-14/") + format;
    EXPECT_THAT(texts(there), ElementsAre("0", "1", "2", "3", "4", "5", "6", "7"));
    EXPECT_THAT(stored(there), SizeIs(4));
    EXPECT_TRUE(options_.target.uploader->is_uploaded(folder_.path(format) + "/metadata.yaml"));
  }
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(UploadedRecordingTest, OnlyWhatIsUploadedIsDeleted) {
  options_.target.keep.files = 1;
  int deleted = 0;
  options_.on_deleted = [&](const DeletedFile& file) {
    ++deleted;
    EXPECT_TRUE(session_.file_system("memory://")
                    ->status("memory://store/2023-11-14/" +
                             std::filesystem::path(file.path).filename().string()));
  };
  record();
  finish();
  purge_recordings(options_, session_);
  EXPECT_EQ(deleted, 2);
  EXPECT_THAT(texts_in("memory://store/2023-11-14"),
              ElementsAre("0", "1", "2", "3", "4", "5", "6", "7"));
}

/// What is uploaded only when the recording is over.
TEST_F(UploadedRecordingTest, WhatWaitedForItsUploadIsDeletedThen) {
  options_.target.keep.files = 1;
  Recorder recorder(options_, session_);
  recorder.run({});
  finish();
  RecordStatus status = recorder.purge();
  EXPECT_EQ(status.deleted_files, 2U);
  EXPECT_EQ(status.deleted_messages, 6U);
  EXPECT_THAT(status.files, ElementsAre(folder_.path("x_2.mcap")));
  auto names = folder_.names();
  std::erase_if(names, [](const std::string& name) { return name.starts_with('.'); });
  EXPECT_THAT(names, ElementsAre("x_2.mcap"));
  EXPECT_EQ(recorder.purge().deleted_files, 2U);
}

TEST_F(UploadedRecordingTest, WhatWouldLoseFilesIsRefused) {
  options_.target.write.may_replace = true;
  EXPECT_ERROR(invalid, Recorder(options_, session_));
  options_.target.write.may_replace = false;
  options_.target.path = folder_.path("x/");
  options_.target.keep.files = 2;
  EXPECT_ERROR(invalid, Recorder(options_, session_));
  options_.target.keep = {};
  options_.target.min_free_bytes = 1;
  EXPECT_ERROR(invalid, Recorder(options_, session_));
}

}  // namespace
}  // namespace kitbag
