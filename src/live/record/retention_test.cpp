#include "live/record/retention.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <set>

#include "kitbag/open.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_folder.h"

namespace kitbag {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

/// Files are leased by name.
class TestLeases final : public FileLeases {
 public:
  explicit TestLeases(const TemporaryFolder& folder) : folder_(folder) {}

  bool is_leased(const FileId& file) override { return leased_.contains(file.number); }
  void revoke(const FileId& file) override {
    ++revoked;
    leased_.erase(file.number);
  }

  void take(const std::string& name) { leased_.insert(number_of(name)); }
  void drop_all() { leased_.clear(); }

  int revoked = 0;

 private:
  std::uint64_t number_of(const std::string& name) const {
    return local_file_system()->status(folder_.path(name))->id.number;
  }

  const TemporaryFolder& folder_;
  std::set<std::uint64_t> leased_;
};

/// Four files of 100 bytes, closed at the seconds 1 to 4.
class RetentionTest : public ::testing::Test {
 protected:
  RetentionTest() {
    target_.folder = folder_.path();
    target_.leases = leases_;
    target_.keep.bytes = 1000;
  }

  FileRetention& retention() {
    if (retention_) return *retention_;
    names_.emplace(target_, false, Session());
    retention_.emplace(target_, *names_);
    for (int i = 1; i <= 4; ++i) {
      retention_->add(folder_.write(name(i), std::string(100, 'x')), 1, at(i));
    }
    return *retention_;
  }

  static std::string name(int number) { return std::to_string(number) + ".mcap"; }
  static Time at(std::int64_t second) { return from_ns(second * 1'000'000'000); }

  std::vector<std::string> gone() {
    std::vector<std::string> names;
    for (const DeletedFile& file : retention().take_gone()) {
      names.push_back(file.path.substr(folder_.path().size() + 1));
      EXPECT_EQ(file.bytes, 100U);
      EXPECT_FALSE(file.reason.empty());
    }
    return names;
  }

  TemporaryFolder folder_;
  std::shared_ptr<TestLeases> leases_ = std::make_shared<TestLeases>(folder_);
  RecordTarget target_;
  std::optional<FileNames> names_;
  std::optional<FileRetention> retention_;
};

TEST_F(RetentionTest, TheOldestGoUntilTheOthersFit) {
  retention().enforce(600, at(5));
  EXPECT_THAT(gone(), IsEmpty());
  retention().enforce(750, at(5));
  EXPECT_THAT(gone(), ElementsAre("1.mcap", "2.mcap"));
}

TEST_F(RetentionTest, TheLastFileStaysIfNoneIsOpen) {
  target_.keep.bytes = 50;
  retention().enforce(std::nullopt, at(5));
  EXPECT_THAT(gone(), ElementsAre("1.mcap", "2.mcap", "3.mcap"));
  retention().enforce(std::nullopt, at(6));
  std::vector<Error> told = retention().take_errors();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told.front().file(), folder_.path("4.mcap"));
  retention().enforce(100, at(7));
  EXPECT_THAT(gone(), ElementsAre("4.mcap"));
}

TEST_F(RetentionTest, AFileThatComesLateGoesByItsAge) {
  retention().add(folder_.write("late.mcap", std::string(100, 'x')), 0, at(2));
  retention().enforce(800, at(5));
  EXPECT_THAT(gone(), ElementsAre("1.mcap", "2.mcap", "late.mcap"));
}

TEST_F(RetentionTest, ALeasedFileIsPassedOverForTheNextOldest) {
  retention();
  leases_->take("1.mcap");
  retention().enforce(750, at(5));
  EXPECT_THAT(gone(), ElementsAre("2.mcap", "3.mcap"));
  EXPECT_EQ(retention().leased_bytes(), 0U);
}

TEST_F(RetentionTest, WhereAllAreLeasedTheOldestGoesAndCountsUntilItsLeaseEnds) {
  target_.keep.bytes = 300;
  retention();
  for (int i = 1; i <= 4; ++i) leases_->take(name(i));
  std::string fifth = folder_.write("5.mcap", std::string(100, 'x'));  // no inode of a deleted one
  retention().enforce(0, at(5));
  // What has a name fits now; the deletion of more would free nothing.
  EXPECT_THAT(gone(), ElementsAre("1.mcap"));
  EXPECT_EQ(retention().leased_bytes(), 100U);
  retention().add(fifth, 1, at(5));
  retention().enforce(0, at(6));
  // It counts, so what nobody reads goes in its place.
  EXPECT_THAT(gone(), ElementsAre("5.mcap"));
  leases_->drop_all();
  retention().enforce(0, at(7));
  EXPECT_THAT(gone(), IsEmpty());
  EXPECT_EQ(retention().leased_bytes(), 0U);
  EXPECT_EQ(leases_->revoked, 0);
}

TEST_F(RetentionTest, AFileThatIsTooOldWaitsForItsLease) {
  target_.keep = {.age = 10s};
  retention();
  leases_->take("1.mcap");
  retention().enforce(0, at(13));
  EXPECT_THAT(gone(), ElementsAre("2.mcap"));
  leases_->drop_all();
  retention().enforce(0, at(13));
  EXPECT_THAT(gone(), ElementsAre("1.mcap"));
}

TEST_F(RetentionTest, TheNumberOfFilesCountsTheOpenOne) {
  target_.keep = {.files = 3};
  retention().enforce(0, at(5));
  EXPECT_THAT(gone(), ElementsAre("1.mcap", "2.mcap"));
}

TEST_F(RetentionTest, WithANearlyFullDiskLeasesAreRevoked) {
  retention();
  for (int i = 2; i <= 4; ++i) leases_->take(name(i));
  EXPECT_TRUE(retention().make_room());
  EXPECT_THAT(gone(), ElementsAre("1.mcap"));
  EXPECT_EQ(leases_->revoked, 0);
  for (int i = 1; i <= 3; ++i) {
    EXPECT_TRUE(retention().make_room());
    EXPECT_EQ(leases_->revoked, i);
  }
  EXPECT_THAT(gone(), ElementsAre("2.mcap", "3.mcap", "4.mcap"));
  EXPECT_FALSE(retention().make_room());
}

TEST_F(RetentionTest, WithANearlyFullDiskDeletedFilesAreTheFirstToBeRevoked) {
  target_.keep.bytes = 300;
  retention();
  for (int i = 1; i <= 4; ++i) leases_->take(name(i));
  retention().enforce(0, at(5));
  EXPECT_THAT(gone(), ElementsAre("1.mcap"));
  EXPECT_TRUE(retention().make_room());
  EXPECT_THAT(gone(), IsEmpty());
  EXPECT_EQ(leases_->revoked, 1);
  EXPECT_EQ(retention().leased_bytes(), 0U);
}

TEST_F(RetentionTest, WhatIsTooOldGoesWhileNothingIsRecorded) {
  target_.keep = {.age = 30 * 24h};
  auto clock = std::make_shared<ManualClock>(system_clock()->wall());
  std::string old = "2023-10-31_14-30-00.mcap";
  std::string read = "2023-10-31_14-40-00.mcap";
  for (const std::string& name :
       {old, read, std::string("2023-10-31_14-50-00.mcap.active"), std::string("mine.mcap")}) {
    folder_.write(name, "x");
  }
  leases_->take(read);
  RecordOptions options;
  options.target = target_;
  std::vector<std::string> told;
  options.on_deleted = [&](const DeletedFile& file) { told.push_back(file.path); };
  Session session(standard_registry(), clock);
  EXPECT_THAT(purge_recordings(options, session), IsEmpty());
  clock->advance(31 * 24h);
  auto gone = purge_recordings(options, session);
  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(gone[0].path, folder_.path(old));
  EXPECT_THAT(told, ElementsAre(folder_.path(old)));
  EXPECT_THAT(folder_.names(), ElementsAre("2023-10-31_14-40-00.mcap",
                                           "2023-10-31_14-50-00.mcap.active", "mine.mcap"));
  leases_->drop_all();
  EXPECT_EQ(purge_recordings(options, session).size(), 1U);
  target_.keep = {};
  options.target = target_;
  EXPECT_THAT(purge_recordings(options, session), IsEmpty());
}

/// Uploads of the four files to a folder, which is moved away while it is out of reach.
class UploadRetentionTest : public RetentionTest {
 protected:
  UploadRetentionTest() {
    UploadOptions options{.target = away_.path("store")};
    std::filesystem::create_directory(away_.path("store"));
    Session session(standard_registry(), clock_);
    target_.uploader = std::make_shared<Uploader>(options, session);
    std::filesystem::rename(away_.path("store"), away_.path("away"));
    retention();
  }

  void upload(const std::string& name) {
    if (!std::filesystem::exists(away_.path("store"))) {
      std::filesystem::rename(away_.path("away"), away_.path("store"));
    }
    target_.uploader->add({.folder = folder_.path(), .name = name});
    EXPECT_TRUE(target_.uploader->finish({}));
  }

  TemporaryFolder away_;
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
};

TEST_F(UploadRetentionTest, NothingGoesThatIsNowhereElse) {
  target_.keep = {.files = 1, .bytes = 1, .age = 1s};
  retention_.reset();
  retention().enforce(1000, at(100));
  EXPECT_THAT(gone(), IsEmpty());
  EXPECT_FALSE(retention().make_room());
  upload("2.mcap");
  upload("3.mcap");
  retention().enforce(1000, at(100));
  EXPECT_THAT(gone(), ElementsAre("2.mcap", "3.mcap"));
  EXPECT_FALSE(retention().make_room());
  EXPECT_THAT(gone(), IsEmpty());
}

TEST_F(UploadRetentionTest, ANearlyFullDiskTakesWhatIsUploaded) {
  upload("3.mcap");
  EXPECT_TRUE(retention().make_room());
  EXPECT_THAT(gone(), ElementsAre("3.mcap"));
  EXPECT_FALSE(retention().make_room());
}

TEST_F(UploadRetentionTest, WhatIsReadAndNotUploadedStays) {
  for (int i = 1; i <= 4; ++i) leases_->take(name(i));
  EXPECT_FALSE(retention().make_room());
  upload("4.mcap");
  EXPECT_TRUE(retention().make_room());
  EXPECT_THAT(gone(), ElementsAre("4.mcap"));
  EXPECT_EQ(leases_->revoked, 1);
}

TEST_F(UploadRetentionTest, WhatHasChangedSinceItsUploadStays) {
  upload("1.mcap");
  folder_.write("1.mcap", std::string(101, 'y'));
  EXPECT_FALSE(retention().make_room());
}

}  // namespace
}  // namespace kitbag
