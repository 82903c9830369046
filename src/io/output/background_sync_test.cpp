#include "io/output/background_sync.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "kitbag/error.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::thrown_by;

/// A disk whose syncs end when the test says so.
class SlowDisk {
 public:
  int sync() {
    std::unique_lock lock(mutex_);
    ++begun_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return allowed_ > 0; });
    --allowed_;
    return error_;
  }
  void end_one(int error = 0) {
    std::lock_guard lock(mutex_);
    error_ = error;
    ++allowed_;
    changed_.notify_all();
  }
  void await_begun(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return begun_ >= count; });
  }
  int begun() {
    std::lock_guard lock(mutex_);
    return begun_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int begun_ = 0;
  int allowed_ = 0;
  int error_ = 0;
};

class BackgroundSyncs : public testing::Test {
 protected:
  SlowDisk disk_;
  BackgroundSync sync_{"a.bag", [this](int) { return disk_.sync(); }};
};

TEST_F(BackgroundSyncs, BeginningDoesNotWaitFinishingDoes) {
  sync_.begin(3);
  disk_.await_begun(1);
  disk_.end_one();
  sync_.finish();
  sync_.finish();
  EXPECT_EQ(disk_.begun(), 1);
}

TEST_F(BackgroundSyncs, WhatIsBegunMeanwhileIsOneMore) {
  sync_.begin(3);
  disk_.await_begun(1);
  for (int i = 0; i < 5; ++i) sync_.begin(3);
  disk_.end_one();
  disk_.await_begun(2);
  disk_.end_one();
  sync_.finish();
  EXPECT_EQ(disk_.begun(), 2);
}

TEST_F(BackgroundSyncs, AFailureIsToldAndNothingIsTriedAgain) {
  sync_.begin(3);
  disk_.await_begun(1);
  sync_.begin(3);
  disk_.end_one(EIO);
  EXPECT_STREQ(thrown_by([&] { sync_.finish(); }).what(),
               "a.bag: cannot write to the disk: input/output error");
  EXPECT_EQ(thrown_by([&] { sync_.begin(3); }).code(), ErrorCode::io);
  EXPECT_EQ(disk_.begun(), 1);
}

}  // namespace
}  // namespace kitbag
