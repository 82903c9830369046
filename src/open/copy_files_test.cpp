#include "kitbag/copy_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kitbag/file_system.h"
#include "kitbag/open.h"
#include "kitbag/registry.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

/// A file that another program makes longer while it is read, or a store that keeps other bytes
/// than it was given.
class BadFiles final : public FileSystem {
 public:
  enum class Fault { none, grows, other_bytes };

  std::string_view scheme() const override { return "bad"; }
  std::optional<FileStatus> status(const std::string& path) const override {
    auto status = files_->status(near(path));
    if (status && fault == Fault::grows) status->modified += Duration(++looks_);
    return status;
  }
  std::vector<std::string> list(const std::string& folder) const override {
    return files_->list(near(folder));
  }
  std::shared_ptr<const ReadFile> open(const std::string& path) const override {
    static const std::string kOther = "oth";
    if (fault == Fault::other_bytes) return memory_file(as_bytes(kOther));
    return files_->open(near(path));
  }
  std::unique_ptr<WriteFile> create(const std::string& path,
                                    const WriteFileOptions& options) const override {
    return files_->create(near(path), options);
  }
  void remove(const std::string& path) const override { files_->remove(near(path)); }

  Fault fault = Fault::none;

 private:
  static std::string near(const std::string& path) { return "memory" + path.substr(3); }

  FileSystemPtr files_ = memory_file_system();
  mutable int looks_ = 0;
};

class CopyFiles : public testing::Test {
 protected:
  CopyFiles() {
    put("memory://in/a", "one");
    put("memory://in/bag/metadata.yaml", "m");
    put("memory://in/bag/x_0.db3", "x");
  }

  Registry registry() const {
    Registry registry = standard_registry();
    registry.file_systems = {files_, bad_};
    return registry;
  }

  void put(const std::string& path, std::string_view content) const {
    auto file = (path.starts_with("bad") ? FileSystemPtr(bad_) : files_)->create(path, {});
    file->append(as_bytes(content));
    file->commit();
  }

  std::vector<CopyJob> plan(std::vector<std::string> sources, const std::string& target) const {
    return plan_copies(sources, target, {.is_recursive = true}, session_);
  }

  Copied copy_one(const std::string& from, const std::string& to, CopyOptions options = {}) const {
    return copy(plan({from}, to).at(0), options, session_);
  }

  FileSystemPtr files_ = memory_file_system();
  std::shared_ptr<BadFiles> bad_ = std::make_shared<BadFiles>();
  Session session_{registry()};
};

TEST_F(CopyFiles, ADirectoryWithMetadataIsOneJobAndOtherFilesAreSeveral) {
  std::vector<CopyJob> jobs = plan({"memory://in"}, "memory://out");
  ASSERT_THAT(jobs, SizeIs(2));
  EXPECT_EQ(jobs[0].to, "memory://out/a");
  EXPECT_EQ(jobs[1].from, "memory://in/bag");
  EXPECT_EQ(jobs[1].to, "memory://out/bag");
  EXPECT_EQ(jobs[1].size_bytes(), 2U);
  ASSERT_THAT(jobs[1].files, SizeIs(2));
  EXPECT_EQ(jobs[1].files[1].from, "memory://in/bag/metadata.yaml");
  EXPECT_EQ(plan({"memory://in"}, "memory://out/")[0].to, "memory://out/in/a");
  EXPECT_EQ(plan({"memory://in/*"}, "memory://out/")[0].to, "memory://out/a");
}

TEST_F(CopyFiles, TheLogOfABagGoesWithIt) {
  TemporaryFolder folder;
  auto make = [&](const std::string& name, const std::string& text) {
    auto file = local_file_system()->create(folder.path(name), {});
    file->append(as_bytes(text));
    file->commit();
  };
  const std::string magic("SQLite format 3", 16);  // with the zero behind it
  make("copy.db3", magic + "old");
  make("copy.db3-journal", "of the old one");
  make("run.db3", magic + "new");
  make("run.db3-wal", "of the new one, and longer");
  Session session(standard_registry());
  auto jobs = plan_copies({folder.path("run.db3")}, folder.path("copy.db3"), {}, session);
  ASSERT_THAT(jobs, SizeIs(1));
  CopyOptions options;
  options.may_replace = true;
  EXPECT_EQ(copy(jobs[0], options, session).files, 2U);
  EXPECT_EQ(open_file(folder.path("copy.db3"))->size(), 19U);
  EXPECT_EQ(open_file(folder.path("copy.db3-wal"))->size(), 26U);
  EXPECT_ERROR(not_found, open_file(folder.path("copy.db3-journal")));
  std::string all = folder.path("*");
  EXPECT_THAT(plan_copies({all}, folder.path("out/"), {.is_recursive = true}, session), SizeIs(2));
}

TEST_F(CopyFiles, LogsThatAreThereAreThoseOfTheCopyAfterwards) {
  TemporaryFolder folder;
  const std::string magic("SQLite format 3", 16);  // with the zero behind it
  auto make = [&](const std::string& name, const std::string& text) {
    auto file = local_file_system()->create(folder.path(name), {});
    file->append(as_bytes(text));
    file->commit();
  };
  auto copied = [&](const std::string& from, const std::string& to, bool may_replace) {
    Session session(standard_registry());
    auto jobs = plan_copies({folder.path(from)}, folder.path(to), {}, session);
    CopyOptions options;
    options.may_replace = may_replace;
    return copy(jobs.at(0), options, session).files;
  };
  auto is_there = [&](const std::string& name) {
    return local_file_system()->status(folder.path(name)).has_value();
  };
  make("run.db3", magic + "run");
  make("run.db3-wal", "of the run");
  make("half.db3-wal", "of the run");  // a copy that broke off
  EXPECT_EQ(copied("run.db3", "half.db3", false), 2U);
  EXPECT_TRUE(is_there("half.db3-wal"));
  EXPECT_EQ(copied("run.db3", "half.db3", false), 0U);

  make("plain.db3", magic + "plain");
  make("other.db3", magic + "plain");
  make("other.db3-wal", "of another run");
  EXPECT_ERROR(exists, copied("plain.db3", "other.db3", false));
  EXPECT_EQ(copied("plain.db3", "other.db3", true), 1U);
  EXPECT_FALSE(is_there("other.db3-wal"));
}

TEST_F(CopyFiles, WhatMakesNoSenseIsFoundBeforeAnythingIsWritten) {
  EXPECT_ERROR(invalid, plan({"memory://in/a", "memory://in/a"}, "memory://out/"));
  EXPECT_ERROR(invalid, plan({"memory://in/a", "memory://in/bag"}, "memory://out"));
  EXPECT_ERROR(not_found, plan({"memory://in/none"}, "memory://out"));
  EXPECT_ERROR(not_found, plan({"memory://in/*.bag"}, "memory://out/"));
  EXPECT_ERROR(invalid, plan_copies({"memory://in"}, "memory://out", {}, session_));
  std::vector<std::string> failed;
  CopyPlanOptions options;
  options.on_failure = [&](const Error& error) { failed.push_back(error.file()); };
  auto jobs = plan_copies({"memory://none", "memory://in/a"}, "memory://out/", options, session_);
  EXPECT_THAT(jobs, SizeIs(1));
  EXPECT_THAT(failed, ElementsAre("memory://none"));
}

TEST_F(CopyFiles, WhatIsThereIsSkippedAndNothingIsReplaced) {
  EXPECT_EQ(copy_one("memory://in/a", "memory://out").files, 1U);
  Copied again = copy_one("memory://in/a", "memory://out");
  EXPECT_EQ(again.files, 0U);
  EXPECT_EQ(again.skipped_files, 1U);
  put("memory://other", "two");
  EXPECT_ERROR(exists, copy_one("memory://other", "memory://out"));
  EXPECT_EQ(copy_one("memory://other", "memory://out", {.may_replace = true}).size_bytes, 3U);
}

TEST_F(CopyFiles, ASourceThatChangesIsAnError) {
  put("bad://x", "one");
  bad_->fault = BadFiles::Fault::grows;
  EXPECT_ERROR(io, copy_one("bad://x", "memory://out"));
  EXPECT_FALSE(files_->status("memory://out"));
}

TEST_F(CopyFiles, ACopyThatIsNotEqualIsRemoved) {
  bad_->fault = BadFiles::Fault::other_bytes;
  EXPECT_EQ(copy_one("memory://in/a", "bad://out").files, 1U);  // the size is right
  bad_->remove("bad://out");
  Error error =
      test::thrown_by([&] { copy_one("memory://in/a", "bad://out", {.reads_again = true}); });
  EXPECT_THAT(error.what(), HasSubstr("not equal"));
  EXPECT_FALSE(bad_->status("bad://out"));
}

TEST_F(CopyFiles, EndsOnRequest) {
  std::stop_source stop;
  CopyOptions options;
  options.stop = stop.get_token();
  options.on_bytes = [&](std::uint64_t) { stop.request_stop(); };
  EXPECT_ERROR(cancelled, copy_one("memory://in/a", "memory://out", options));
  EXPECT_FALSE(files_->status("memory://out"));
}

}  // namespace
}  // namespace kitbag
