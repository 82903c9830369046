#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "kitbag/bag.h"
#include "kitbag/file_system.h"
#include "kitbag/open.h"
#include "kitbag/upload.h"
#include "live/upload/upload_journal.h"
#include "tests/support/file_systems.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;
using namespace std::chrono_literals;

/// A store in memory that can be out of reach, lose the answer to a commit, or store rubbish.
class ShakyFiles final : public FileSystem {
 public:
  std::atomic<bool> is_out = false;
  std::atomic<bool> loses_answers = false;
  std::atomic<bool> is_rotten = false;
  mutable std::atomic<std::uint64_t> calls = 0;
  mutable std::atomic<std::uint64_t> commits = 0;

  std::string_view scheme() const override { return "store"; }
  std::optional<FileStatus> status(const std::string& path) const override {
    count(path);
    return files_->status(near(path));
  }
  std::vector<std::string> list(const std::string& folder) const override {
    return files_->list(near(folder));
  }
  std::shared_ptr<const ReadFile> open(const std::string& path) const override {
    count(path);
    return files_->open(near(path));
  }
  std::unique_ptr<WriteFile> create(const std::string& path,
                                    const WriteFileOptions& options) const override {
    count(path);
    return std::make_unique<Upload>(*this, path, files_->create(near(path), options));
  }
  void remove(const std::string& path) const override {
    count(path);
    files_->remove(near(path));
  }

  std::string text(const std::string& path) const {
    auto file = files_->open(near(path));
    std::string content(file->size(), '\0');
    file->read(0, std::as_writable_bytes(std::span(content)));
    return content;
  }
  void put(const std::string& path, std::string_view content) const {
    auto file = files_->create(near(path), {});
    file->append(as_bytes(content));
    file->commit();
  }

 private:
  class Upload final : public WriteFile {
   public:
    Upload(const ShakyFiles& files, std::string path, std::unique_ptr<WriteFile> file)
        : files_(files), path_(std::move(path)), file_(std::move(file)) {}
    std::uint64_t size() const override { return file_->size(); }
    void append(std::span<const ByteView> pieces) override {
      files_.count(path_);
      file_->append(pieces);
    }
    void rewrite(std::uint64_t offset, ByteView bytes) override { file_->rewrite(offset, bytes); }
    void flush() override {}
    void sync() override {}
    void commit() override {
      files_.count(path_);
      if (files_.is_rotten) file_->rewrite(0, as_bytes("?"));
      file_->commit();
      ++files_.commits;
      if (files_.loses_answers) throw Error(ErrorCode::io, "no answer", path_);
    }

   private:
    const ShakyFiles& files_;
    std::string path_;
    std::unique_ptr<WriteFile> file_;
  };

  void count(const std::string& path) const {
    ++calls;
    if (is_out) throw Error(ErrorCode::io, "no network", path);
  }
  static std::string near(const std::string& path) { return "memory" + path.substr(5); }

  FileSystemPtr files_ = memory_file_system();
};

class UploaderTest : public ::testing::Test {
 protected:
  UploaderTest() { options_.target = "store://bags/robot"; }

  Session session() const {
    Registry registry = standard_registry();
    registry.file_systems.push_back(store_);
    registry.file_systems.push_back(failing_);
    return Session(std::move(registry), clock_);
  }

  Uploader& uploader() {
    if (!uploader_) uploader_.emplace(options_, session());
    return *uploader_;
  }
  void restart() {
    take_reports();
    uploader_.reset();
  }

  void add(const std::string& name, bool is_last = false) {
    uploader().add({.folder = folder_.path(), .name = name, .is_last = is_last});
  }

  /// Waits until all is uploaded; time goes on meanwhile.
  void finish() {
    std::atomic<bool> is_done = false;
    std::thread time([&] {
      while (!is_done) {
        if (!clock_->advance_to_deadline()) std::this_thread::yield();
      }
    });
    EXPECT_TRUE(uploader().finish({}));
    is_done = true;
    time.join();
  }

  void take_reports() {
    if (!uploader_) return;
    for (const Error& report : uploader_->take_reports()) reports_.emplace_back(report.what());
  }
  std::vector<std::string> reports() {
    take_reports();
    return std::exchange(reports_, {});
  }

  std::vector<std::string> stored() const {
    std::vector<std::string> names = store_->list("store://bags/robot");
    std::sort(names.begin(), names.end());
    return names;
  }

  /// A bag whose only message has this time.
  void write_bag(const std::string& name, Time time) const {
    auto bag = session().create(folder_.path(name));
    auto channel = std::make_shared<Channel>();
    channel->topic = "/t";
    channel->encoding = "json";
    ByteView payload = as_bytes("{}");
    bag->append(channel, {.log_time = time, .publish_time = time}, std::span(&payload, 1));
    bag->close();
  }

  TemporaryFolder folder_;
  std::shared_ptr<ShakyFiles> store_ = std::make_shared<ShakyFiles>();
  std::shared_ptr<testing::FailingFiles> failing_ = std::make_shared<testing::FailingFiles>();
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>(system_clock()->wall());
  UploadOptions options_;
  std::vector<std::string> reports_;
  std::optional<Uploader> uploader_;
};

TEST_F(UploaderTest, FilesAreInTheTargetAndVerified) {
  folder_.write("a.bin", "one");
  folder_.write("b.bin", "");
  add("a.bin");
  add("b.bin");
  finish();
  EXPECT_EQ(store_->text("store://bags/robot/a.bin"), "one");
  EXPECT_THAT(stored(), ElementsAre("a.bin", "b.bin"));
  EXPECT_TRUE(uploader().is_uploaded(folder_.path("a.bin")));
  EXPECT_FALSE(uploader().is_uploaded(folder_.path("c.bin")));
  UploadStatus status = uploader().status();
  EXPECT_EQ(status.uploaded_files, 2U);
  EXPECT_EQ(status.uploaded_bytes, 3U);
  EXPECT_EQ(status.waiting_files, 0U);
  EXPECT_THAT(uploader().take_uploaded(), SizeIs(2));
  EXPECT_THAT(reports(), IsEmpty());
}

TEST_F(UploaderTest, AFileThatHasChangedSinceIsNotUploaded) {
  folder_.write("a.bin", "one");
  add("a.bin");
  finish();
  folder_.write("a.bin", "another");
  EXPECT_FALSE(uploader().is_uploaded(folder_.path("a.bin")));
}

TEST_F(UploaderTest, PlaceholdersAreReplaced) {
  options_.target = "store://bags/robot/{robot}-{date}/{time}/";
  options_.robot = "r2";
  write_bag("x.mcap", from_ns(1'700'000'000'000'000'000));  // 2023-11-14T22:13:20Z
  add("x.mcap");
  finish();
  EXPECT_THAT(stored(), ElementsAre("r2-2023-11-14"));
  EXPECT_TRUE(store_->status("store://bags/robot/r2-2023-11-14/22-13-20/x.mcap"));
  options_.target = "store://bags/{fleet}/";
  EXPECT_ERROR(invalid, Uploader(options_, session()));
  options_.target = "store://bags/{date/";
  EXPECT_ERROR(invalid, Uploader(options_, session()));
  options_.target = "store://bags/{robot}/";
  options_.robot = "../other";
  EXPECT_ERROR(invalid, Uploader(options_, session()));
}

TEST_F(UploaderTest, WhatIsRefusedIsRefusedAtTheBeginning) {
  options_.target = folder_.path("not mounted/{date}");
  EXPECT_ERROR(not_found, Uploader(options_, session()));
  options_.target = "nowhere://x/";
  EXPECT_ERROR(unsupported, Uploader(options_, session()));
}

TEST_F(UploaderTest, AFolderOfThisMachineIsATargetToo) {
  TemporaryFolder other;
  options_.target = other.path("{robot}/{date}");
  options_.robot = "r2";
  write_bag("x.mcap", from_ns(1'700'000'000'000'000'000));
  add("x.mcap");
  finish();
  EXPECT_EQ(other.read("r2/2023-11-14/x.mcap"), folder_.read("x.mcap"));
  EXPECT_THAT(other.names(), ElementsAre("r2"));
}

TEST_F(UploaderTest, AFileIsNotItsOwnCopy) {
  options_.target = folder_.path();
  folder_.write("a.bin", "one");
  add("a.bin");
  while (uploader().status().failure.empty()) std::this_thread::yield();
  EXPECT_FALSE(uploader().is_uploaded(folder_.path("a.bin")));
  EXPECT_THAT(reports(), ElementsAre(HasSubstr("is the local file itself")));
}

TEST_F(UploaderTest, AnOutageOfDaysIsToldOnce) {
  folder_.write("a.bin", "one");
  folder_.write("b.bin", "two");
  store_->is_out = true;
  uploader();  // begins nevertheless
  add("a.bin");
  add("b.bin");
  SteadyTime end = clock_->steady() + 72h;
  while (clock_->steady() < end) {
    if (!clock_->advance_to_deadline()) std::this_thread::yield();
  }
  EXPECT_THAT(reports(), ElementsAre(HasSubstr("uploads fail: store://bags/robot/: no network")));
  EXPECT_GE(uploader().status().failing, 72h);
  EXPECT_EQ(uploader().status().waiting_files, 2U);
  EXPECT_THAT(uploader().status().failure, HasSubstr("no network"));
  EXPECT_LT(store_->calls, 72 * 12 + 20);  // every five minutes, in the end
  EXPECT_GT(store_->calls, 72 * 11);
  EXPECT_FALSE(uploader().is_uploaded(folder_.path("a.bin")));
  store_->is_out = false;
  finish();
  EXPECT_THAT(reports(), ElementsAre(HasSubstr("uploads go on, after 3d")));
  EXPECT_THAT(stored(), ElementsAre("a.bin", "b.bin"));
  EXPECT_EQ(uploader().status().failure, "");
  EXPECT_EQ(uploader().status().failing, 0s);
}

TEST_F(UploaderTest, AfterARestartTheJournalAnswers) {
  folder_.write("a.bin", "one");
  add("a.bin");
  finish();
  restart();
  uploader();
  std::uint64_t before = store_->calls;
  add("a.bin");
  finish();
  EXPECT_EQ(store_->calls, before + 1);  // whether it is there
  EXPECT_TRUE(uploader().is_uploaded(folder_.path("a.bin")));
  EXPECT_EQ(store_->commits, 3U);  // two of them checks

  // What was removed there is sent again, and not taken for uploaded.
  store_->remove("store://bags/robot/a.bin");
  restart();
  add("a.bin");
  finish();
  EXPECT_TRUE(store_->status("store://bags/robot/a.bin"));

  // Another target is another matter.
  restart();
  options_.target = "store://bags/other";
  add("a.bin");
  finish();
  EXPECT_TRUE(store_->status("store://bags/other/a.bin"));
}

TEST_F(UploaderTest, AJournalThatIsTornOrLostCostsOnlyRequests) {
  folder_.write("a.bin", "one");
  folder_.write("b.bin", "two");
  add("a.bin");
  add("b.bin");
  finish();
  restart();
  std::string journal = folder_.read(UploadJournal::kName);
  ASSERT_GT(journal.size(), 100U);
  for (std::size_t size = 0; size <= journal.size(); size += 7) {
    std::string torn = journal.substr(0, size);
    if (size % 2 == 0 && size > 20) torn[size / 2] ^= 1;
    folder_.write(UploadJournal::kName, torn);
    std::uint64_t commits = store_->commits;
    add("a.bin");
    add("b.bin");
    finish();
    EXPECT_EQ(store_->commits, commits + 1);  // the check
    restart();
  }
  EXPECT_THAT(stored(), ElementsAre("a.bin", "b.bin"));
  EXPECT_THAT(reports(), IsEmpty());
}

TEST_F(UploaderTest, AJournalNeverSpeaksForAnotherFile) {
  folder_.write("a.bin", "one");
  add("a.bin");
  finish();
  restart();
  std::filesystem::remove(folder_.path("a.bin"));
  folder_.write("a.bin", "two");
  add("a.bin");
  finish();
  EXPECT_THAT(stored(), SizeIs(2));
  EXPECT_EQ(store_->text("store://bags/robot/a.bin"), "one");
}

TEST_F(UploaderTest, OtherContentIsNeverReplaced) {
  store_->put("store://bags/robot/a.mcap", "somebody else's");
  folder_.write("a.mcap", "mine");
  for (int i = 0; i < 2; ++i) {
    add("a.mcap");
    finish();
    EXPECT_THAT(stored(), ElementsAre(MatchesRegex("a-[0-9a-f]+\\.mcap"), "a.mcap"));
    EXPECT_EQ(store_->text("store://bags/robot/a.mcap"), "somebody else's");
    EXPECT_EQ(store_->text("store://bags/robot/" + stored()[0]), "mine");
    EXPECT_THAT(reports(), ElementsAre(HasSubstr("has other content")));
    EXPECT_TRUE(uploader().is_uploaded(folder_.path("a.mcap")));
    restart();
    std::filesystem::remove(folder_.path(UploadJournal::kName));
  }
}

TEST_F(UploaderTest, ALostAnswerMakesNoSecondFile) {
  folder_.write("a.bin", "one");
  uploader();
  store_->loses_answers = true;
  add("a.bin");
  finish();
  EXPECT_THAT(stored(), ElementsAre("a.bin"));
  EXPECT_EQ(uploader().status().found_files, 1U);
  EXPECT_EQ(store_->commits, 2U);
}

TEST_F(UploaderTest, WhatReadsBackDifferentIsNotVerified) {
  folder_.write("a.bin", "one");
  uploader();
  store_->is_rotten = true;
  add("a.bin");
  for (int i = 0; i < 20; ++i) {
    while (!clock_->advance_to_deadline()) std::this_thread::yield();
  }
  EXPECT_FALSE(uploader().is_uploaded(folder_.path("a.bin")));
  EXPECT_THAT(reports(), ElementsAre(HasSubstr("its content is not that of the local file")));
  store_->is_rotten = false;
  finish();
  EXPECT_TRUE(uploader().is_uploaded(folder_.path("a.bin")));
}

TEST_F(UploaderTest, AFailureOfAnyCallLeavesOneFile) {
  options_.target = "failing://bags";
  for (std::uint64_t call = 1; call < 60; ++call) {
    failing_ = std::make_shared<testing::FailingFiles>();
    std::filesystem::remove(folder_.path(UploadJournal::kName));
    folder_.write("a.bin", "one");
    failing_->fail_at(call);
    add("a.bin");
    finish();
    EXPECT_TRUE(uploader().is_uploaded(folder_.path("a.bin"))) << call;
    auto files = failing_->all();
    std::erase(files, "failing://bags/.kitbag-upload-check");
    EXPECT_THAT(files, ElementsAre("failing://bags/a.bin")) << call;
    bool is_over = failing_->calls() < call;
    restart();
    if (is_over) return;
  }
  FAIL() << "more calls than were thought";
}

TEST_F(UploaderTest, AFileThatCannotBeReadKeepsNobodyBack) {
  folder_.write("b.bin", "two");
  std::filesystem::create_directory(folder_.path("a.bin"));
  std::filesystem::create_symlink("nowhere", folder_.path("gone.bin"));
  add("gone.bin");
  add("b.bin");
  finish();
  EXPECT_THAT(stored(), ElementsAre("b.bin"));
  EXPECT_THAT(reports(), ElementsAre(HasSubstr("gone.bin: was removed before it was uploaded")));
}

TEST_F(UploaderTest, TheLastFileOfAFolderComesLast) {
  std::filesystem::create_directory(folder_.path("run"));
  for (const char* name : {"run/metadata.yaml", "run/0.db3", "run/1.db3"})
    folder_.write(name, name);
  store_->is_out = true;
  add("run/metadata.yaml", true);
  add("run/0.db3");
  add("run/1.db3");
  store_->is_out = false;
  finish();
  std::vector<std::string> order;
  for (const UploadedFile& file : uploader().take_uploaded()) {
    order.push_back(file.target.substr(std::string("store://bags/robot/").size()));
  }
  EXPECT_THAT(order, ElementsAre("run/0.db3", "run/1.db3", "run/metadata.yaml"));
}

TEST_F(UploaderTest, TheRateIsKept) {
  options_.bytes_per_second = 1'000'000;
  folder_.write("a.bin", std::string(8'000'000, 'x'));
  SteadyTime start = clock_->steady();
  add("a.bin");
  finish();
  EXPECT_GE(clock_->steady() - start, 7500ms);
  EXPECT_LE(clock_->steady() - start, 8500ms);
}

TEST_F(UploaderTest, ItEndsInTheMiddleOfAFile) {
  options_.bytes_per_second = 1000;
  folder_.write("a.bin", std::string(1'000'000, 'x'));
  add("a.bin");
  while (uploader().status().waiting_bytes == 1'000'000) {
    if (!clock_->advance_to_deadline()) std::this_thread::yield();
  }
  EXPECT_EQ(uploader().status().current, folder_.path("a.bin"));
  EXPECT_FALSE(uploader().finish({{}, clock_->steady()}));
  restart();
  EXPECT_THAT(stored(), IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(folder_.path("a.bin")));
}

}  // namespace
}  // namespace kitbag
