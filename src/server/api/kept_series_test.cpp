#include "server/api/kept_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "tests/support/temporary_folder.h"

namespace kitbag::server {
namespace {

namespace fs = std::filesystem;

std::string key(char digit) {
  return std::string(32, digit);
}

constexpr std::size_t kMemory = 250 * sizeof(SeriesBucket);

class KeptSeriesTest : public ::testing::Test {
 protected:
  /// Gives a series with so many buckets, and counts how often.
  KeptSeries::Read read(std::size_t buckets, bool may_be_kept = true) {
    return [this, buckets, may_be_kept](const std::stop_token&) {
      ++read_;
      ReadSeries finest;
      finest.series.buckets = buckets;
      FieldSeries& field = finest.series.fields.emplace_back(FieldSeries{"/a", "x"});
      for (std::size_t i = 0; i < buckets; ++i) field.buckets.push_back({.index = i, .count = 1});
      return KeptSeries::Made{std::move(finest), may_be_kept};
    };
  }
  std::string path(char digit) { return folder_.path("cache") + "/" + key(digit) + ".series"; }

  TemporaryFolder folder_;
  FileCache files_{{folder_.path("cache"), 1 << 20}};
  std::vector<std::string> warnings_;
  OnWarning on_warning_ = [this](const Error& warning) { warnings_.push_back(warning.what()); };
  KeptSeries kept_{kMemory, files_, on_warning_};
  std::atomic<int> read_ = 0;
};

TEST_F(KeptSeriesTest, IsReadOnce) {
  EXPECT_FALSE(kept_.find(key('a')));
  ReadSeriesPtr first = kept_.get(key('a'), read(100), {});
  EXPECT_EQ(kept_.get(key('a'), read(100), {}), first);
  EXPECT_EQ(kept_.find(key('a')), first);
  EXPECT_EQ(read_, 1);
}

TEST_F(KeptSeriesTest, OutlivesTheServer) {
  kept_.get(key('a'), read(100), {});
  KeptSeries next(kMemory, files_, on_warning_);
  EXPECT_EQ(next.get(key('a'), read(100), {})->series.fields.at(0).buckets.size(), 100U);
  EXPECT_TRUE(KeptSeries(kMemory, files_, on_warning_).find(key('a')));
  EXPECT_EQ(read_, 1);
}

TEST_F(KeptSeriesTest, MemoryHoldsThoseThatWereAskedForLast) {
  kept_.get(key('a'), read(100), {});
  kept_.get(key('b'), read(100), {});
  kept_.get(key('a'), read(100), {});
  kept_.get(key('c'), read(100), {});
  for (char each : {'a', 'b', 'c'}) fs::remove(path(each));
  EXPECT_TRUE(kept_.find(key('a')));
  EXPECT_FALSE(kept_.find(key('b')));
  EXPECT_TRUE(kept_.find(key('c')));
}

TEST_F(KeptSeriesTest, OneThatIsTooLargeForMemoryDropsNoOther) {
  kept_.get(key('a'), read(100), {});
  kept_.get(key('b'), read(300), {});
  EXPECT_TRUE(kept_.find(key('b'))) << "it is in a file";
  fs::remove(path('a'));
  fs::remove(path('b'));
  EXPECT_TRUE(kept_.find(key('a')));
  EXPECT_FALSE(kept_.find(key('b')));
}

TEST_F(KeptSeriesTest, WhatIsUsedInMemoryCountsAsUsedInTheCache) {
  kept_.get(key('a'), read(100), {});
  auto long_ago = fs::last_write_time(path('a')) - std::chrono::hours(1);
  fs::last_write_time(path('a'), long_ago);
  EXPECT_TRUE(kept_.find(key('a')));
  EXPECT_GT(fs::last_write_time(path('a')), long_ago);
}

TEST_F(KeptSeriesTest, ADamagedFileIsMadeAnew) {
  kept_.get(key('a'), read(100), {});
  for (const char* content : {"", "no series"}) {
    std::ofstream(path('a'), std::ios::trunc) << content;
    read_ = 0;
    KeptSeries next(kMemory, files_, on_warning_);
    EXPECT_FALSE(next.find(key('a')));
    EXPECT_EQ(next.get(key('a'), read(100), {})->series.fields.size(), 1U);
    EXPECT_EQ(read_, 1);
    EXPECT_TRUE(KeptSeries(kMemory, files_, on_warning_).find(key('a')));
  }
}

TEST_F(KeptSeriesTest, OfABagThatHasChangedNothingIsKept) {
  EXPECT_TRUE(kept_.get(key('a'), read(100, false), {}));
  EXPECT_FALSE(kept_.find(key('a')));
  EXPECT_FALSE(fs::exists(path('a')));
}

TEST_F(KeptSeriesTest, WhereNothingCanBeStoredMemoryIsEnough) {
  std::ofstream(folder_.path("cache")) << "no folder";
  for (char each : {'a', 'b'}) {
    kept_.get(key(each), read(100), {});
    EXPECT_TRUE(kept_.find(key(each)));
  }
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_THAT(warnings_[0], testing::HasSubstr("a plot is not kept"));
  fs::remove(folder_.path("cache"));
  kept_.get(key('c'), read(100), {});
  fs::remove_all(folder_.path("cache"));
  std::ofstream(folder_.path("cache")) << "no folder";
  kept_.get(key('d'), read(100), {});
  EXPECT_EQ(warnings_.size(), 2U) << "it is said again when it happens again";
}

TEST_F(KeptSeriesTest, IsReadOnceForAllWhoAskMeanwhile) {
  std::latch began(1);
  std::promise<void> may_end;
  auto slow = [&, end = may_end.get_future().share()](const std::stop_token& stop) {
    began.count_down();
    end.wait();
    return read(100)(stop);
  };
  auto ask = [&] { return kept_.get(key('a'), slow, {}); };
  auto first = std::async(std::launch::async, ask);
  began.wait();
  std::vector<std::future<ReadSeriesPtr>> others;
  for (int i = 0; i < 8; ++i) others.push_back(std::async(std::launch::async, ask));
  may_end.set_value();
  ReadSeriesPtr made = first.get();
  for (auto& each : others) EXPECT_EQ(each.get(), made);
  EXPECT_EQ(read_, 1);
}

TEST_F(KeptSeriesTest, StopsWhenTheLastClientHasGone) {
  std::latch began(1);
  auto endless = [&](const std::stop_token& stop) -> KeptSeries::Made {
    began.count_down();
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock(mutex);
    changed.wait(lock, stop, [] { return false; });
    throw Error(ErrorCode::cancelled, "stopped");
  };
  std::stop_source first;
  std::stop_source second;
  auto ask = [&](const std::stop_token& stop) {
    return std::async(std::launch::async, [&, stop] {
      try {
        kept_.get(key('a'), endless, stop);
      } catch (const Error& error) {
        return error.code();
      }
      return ErrorCode::remark;
    });
  };
  auto reads = ask(first.get_token());
  began.wait();
  auto waits = ask(second.get_token());
  second.request_stop();
  EXPECT_EQ(waits.get(), ErrorCode::cancelled);
  first.request_stop();
  EXPECT_EQ(reads.get(), ErrorCode::cancelled);
  EXPECT_TRUE(kept_.get(key('a'), read(100), {})) << "who comes later has it read again";
}

}  // namespace
}  // namespace kitbag::server
