#include "server/bags/bag_state.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "kitbag/open.h"
#include "kitbag/pipeline.h"
#include "tests/support/temporary_folder.h"

namespace kitbag::server {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

TEST(IsFresh, IsWhatChangesAtThisTime) {
  Time now{seconds(1'700'000'000)};
  EXPECT_TRUE(is_fresh(now, now));
  EXPECT_TRUE(is_fresh(now - seconds(59), now));
  EXPECT_TRUE(is_fresh(now + seconds(59), now));  // clocks of file servers differ
  EXPECT_FALSE(is_fresh(now - seconds(61), now));
  EXPECT_FALSE(is_fresh(now + seconds(61), now));
  EXPECT_FALSE(is_fresh(Time::min(), now));
  EXPECT_FALSE(is_fresh(Time::max(), now));
}

/// A bag whose writer has not completed it.
class BagStateTest : public testing::Test {
 protected:
  BagStateTest() {
    std::string whole = folder_.path("whole.mcap");
    auto demo = session_.open("demo://?seconds=1&seed=3");
    auto writer = session_.create(whole);
    run(*demo->read(), *writer, *session_.clock());
    writer->close();
    path_ = folder_.path("cut.mcap");
    fs::copy(whole, path_);
    fs::resize_file(path_, fs::file_size(path_) / 2);
  }

  BagEntry described(std::chrono::seconds age, bool is_being_recorded = false) {
    fs::last_write_time(path_, fs::file_time_type::clock::now() - age);
    auto entry = state_of(path_, "cut.mcap", false, {}, session_);
    EXPECT_TRUE(describe(*entry, is_being_recorded, session_));
    return *entry;
  }

  TemporaryFolder folder_;
  Session session_;
  std::string path_;
};

TEST_F(BagStateTest, WhatStandsStillIsNotBeingRecordedButMayGrow) {
  for (seconds age : {seconds(600), seconds(-600)}) {
    BagEntry entry = described(age);
    EXPECT_FALSE(entry.is_recording) << age.count();
    EXPECT_TRUE(entry.may_grow);
    EXPECT_FALSE(entry.damage.sentences().empty());
  }
  EXPECT_TRUE(described(seconds(1)).is_recording);
}

TEST_F(BagStateTest, ARecorderThatIsKnownToBeAliveMayBeQuiet) {
  BagEntry entry = described(seconds(600), true);
  EXPECT_TRUE(entry.is_recording);
}

TEST_F(BagStateTest, ALinkInADirectoryThatLeadsOutIsNamed) {
  std::string root = folder_.path("root");
  std::string bag = root + "/bag";
  fs::create_directories(bag + "/sub");
  fs::create_symlink(folder_.path("whole.mcap"), bag + "/sub/x.mcap");
  fs::create_symlink("gone", bag + "/broken");
  EXPECT_EQ(state_of(bag, "bag", false, root, session_)->link_out, "sub/x.mcap");
  EXPECT_EQ(state_of(bag, "bag", false, folder_.path(""), session_)->link_out, "");
  fs::create_directory_symlink(".", bag + "/folder");
  EXPECT_EQ(state_of(bag, "bag", false, folder_.path(""), session_)->link_out, "folder");
}

}  // namespace
}  // namespace kitbag::server
