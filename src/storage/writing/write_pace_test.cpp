#include "storage/writing/write_pace.h"

#include <gtest/gtest.h>

namespace kitbag {
namespace {

using std::chrono::milliseconds;

constexpr SteadyTime at(int ms) {
  return SteadyTime() + milliseconds(ms);
}

TEST(WritePace, WithoutOptionsNothingIsEverDue) {
  WritePace pace{WriteOptions()};
  pace.note();
  EXPECT_EQ(pace.due(), kNever);
  EXPECT_FALSE(pace.tick(at(1'000'000)).flush);
}

TEST(WritePace, WhatIsHeldIsHandedOverInTime) {
  WriteOptions options;
  options.chunk_duration = milliseconds(100);
  WritePace pace(options);
  EXPECT_EQ(pace.due(), kNever);
  pace.note();
  EXPECT_LT(pace.due(), at(0));  // the next tick() gives the time
  EXPECT_FALSE(pace.tick(at(5)).flush);
  EXPECT_EQ(pace.due(), at(105));
  pace.note();
  EXPECT_EQ(pace.due(), at(105)) << "the first one counts";
  EXPECT_FALSE(pace.tick(at(104)).flush);
  EXPECT_TRUE(pace.tick(at(105)).flush);
  EXPECT_EQ(pace.due(), kNever);
  pace.note();
  EXPECT_FALSE(pace.tick(at(300)).flush);
  EXPECT_EQ(pace.due(), at(400));
}

TEST(WritePace, SyncsWhileThereIsSomethingToSync) {
  WriteOptions options;
  options.sync = {SyncPolicy::When::interval, milliseconds(1000)};
  WritePace pace(options);
  pace.note();
  EXPECT_FALSE(pace.tick(at(0)).sync);
  EXPECT_EQ(pace.due(), at(1000));
  EXPECT_TRUE(pace.tick(at(1700)).sync);
  EXPECT_EQ(pace.due(), kNever);
}

TEST(WritePace, ASyncHandsOverToo) {
  WriteOptions options;
  options.chunk_duration = milliseconds(100);
  options.sync = {SyncPolicy::When::interval, milliseconds(150)};
  WritePace pace(options);
  pace.note();
  pace.tick(at(0));
  EXPECT_EQ(pace.due(), at(100));
  auto work = pace.tick(at(100));
  EXPECT_TRUE(work.flush && !work.sync);
  EXPECT_EQ(pace.due(), at(150)) << "it is not on the disk";
  pace.note();
  work = pace.tick(at(150));
  EXPECT_TRUE(work.sync);
  EXPECT_EQ(pace.due(), kNever);
}

}  // namespace
}  // namespace kitbag
