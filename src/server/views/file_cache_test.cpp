#include "server/views/file_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <latch>
#include <string>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/error.h"
#include "tests/support/temporary_folder.h"

namespace kitbag::server {
namespace {

namespace fs = std::filesystem;

std::string name(char digit) {
  return std::string(32, digit) + ".mcap";
}

class FileCaching : public ::testing::Test {
 protected:
  FileCacheOptions options(std::uint64_t max_bytes) {
    return {folder_.path("cache"), max_bytes, 4};
  }

  /// Makes a file of so many bytes, and counts how often.
  FileCache::Make bytes(std::size_t size) {
    return [this, size](const std::string& path, const FileCache::Grown& grown,
                        const std::stop_token&) {
      ++made_;
      grown(size);
      // As a whole: who asks meanwhile may find it.
      std::ofstream(path + ".new") << std::string(size, 'x');
      fs::rename(path + ".new", path);
    };
  }

  static int status_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const Refusal& refusal) {
      return refusal.status();
    }
    return 200;
  }

  /// So that the order of use is sure, however coarse the clock of the file system is.
  void age(char digit) {
    fs::path path = folder_.path("cache") + "/" + name(digit);
    fs::last_write_time(path, fs::last_write_time(path) - std::chrono::hours(1));
  }

  TemporaryFolder folder_;
  std::atomic<int> made_ = 0;
};

TEST_F(FileCaching, MakesAFileOnce) {
  FileCache files(options(1000));
  EXPECT_EQ(files.get(name('a'), bytes(10), {}).size, 10U);
  EXPECT_EQ(files.get(name('a'), bytes(10), {}).size, 10U);
  EXPECT_EQ(made_, 1);
}

TEST_F(FileCaching, FindsWhatAnotherHasMade) {
  FileCache(options(1000)).get(name('a'), bytes(10), {});
  FileCache(options(1000)).get(name('a'), bytes(10), {});
  EXPECT_EQ(made_, 1);
}

TEST_F(FileCaching, RemovesWhatWasNotUsedForLongest) {
  FileCache files(options(100));
  files.get(name('a'), bytes(40), {});
  files.get(name('b'), bytes(40), {});
  age('a');
  age('b');
  files.get(name('a'), bytes(40), {});
  files.get(name('c'), bytes(40), {});
  made_ = 0;
  files.get(name('a'), bytes(40), {});
  EXPECT_EQ(made_, 0);
  files.get(name('b'), bytes(40), {});
  EXPECT_EQ(made_, 1);
}

TEST_F(FileCaching, LeavesOtherFilesAlone) {
  fs::create_directories(folder_.path("cache"));
  std::vector<std::string> others = {"notes.mcap", std::string(32, 'a') + ".jpeg",
                                     std::string(31, 'a') + ".series"};
  for (std::string& other : others) {
    other.insert(0, folder_.path("cache") + "/");
    std::ofstream(other) << std::string(500, 'x');
  }
  FileCache files(options(100));
  files.get(name('a'), bytes(90), {});
  for (const std::string& other : others) EXPECT_TRUE(fs::exists(other)) << other;
}

TEST_F(FileCaching, AllKindsOfFilesHaveOneBudget) {
  FileCache files(options(100));
  std::string series = std::string(32, 'a') + ".series";
  files.store(series, as_bytes(std::string(40, 's')));
  ASSERT_TRUE(files.find(series));
  EXPECT_EQ(files.find(series)->size, 40U);
  files.get(name('a'), bytes(40), {});
  fs::path path = folder_.path("cache") + "/" + series;
  fs::last_write_time(path, fs::last_write_time(path) - std::chrono::hours(1));
  files.store(std::string(32, 'b') + ".series", as_bytes(std::string(40, 's')));
  EXPECT_FALSE(files.find(series));
  EXPECT_TRUE(files.find(name('a')));
  EXPECT_EQ(status_of([&] { files.store(series, as_bytes(std::string(101, 's'))); }), 413);
}

TEST_F(FileCaching, WhatIsStoredReplacesWhatWasThere) {
  FileCache files(options(100));
  files.store(name('a'), as_bytes("one"));
  files.store(name('a'), as_bytes("other"));
  EXPECT_EQ(files.find(name('a'))->size, 5U);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path("cache")), {}), 1);
}

TEST(CacheKeys, AreThoseOfTheParts) {
  std::string key = cache_key({"a", "bc"});
  EXPECT_EQ(key.size(), 32U);
  EXPECT_EQ(key, cache_key({"a", "bc"}));
  for (const std::vector<std::string>& other :
       {std::vector<std::string>{"ab", "c"}, {"abc"}, {"a", "bc", ""}, {"bc", "a"}}) {
    EXPECT_NE(key, cache_key(other));
  }
}

TEST_F(FileCaching, RemovesWhatAKilledServerHasLeft) {
  fs::create_directories(folder_.path("cache"));
  std::string left = folder_.path("cache") + "/." + name('b') + ".0123abcd.part";
  std::ofstream(left) << std::string(500, 'x');
  FileCache(options(100)).get(name('a'), bytes(10), {});
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(FileCaching, RefusesAFileThatIsTooLarge) {
  FileCache files(options(100));
  EXPECT_EQ(status_of([&] { files.get(name('a'), bytes(101), {}); }), 413);
  EXPECT_TRUE(fs::is_empty(folder_.path("cache")));
}

TEST_F(FileCaching, SaysThatTheFolderCannotHoldIt) {
  auto fails = [&](const std::string& path, const FileCache::Grown&, const std::stop_token&) {
    throw Error(ErrorCode::io, "No space left on device", path);
  };
  FileCache files(options(100));
  EXPECT_EQ(status_of([&] { files.get(name('a'), fails, {}); }), 507);
  std::ofstream(folder_.path("file")) << "no folder";
  FileCache nowhere({folder_.path("file") + "/cache", 100, 4});
  EXPECT_EQ(status_of([&] { nowhere.get(name('a'), bytes(1), {}); }), 507);
  EXPECT_EQ(status_of([&] { nowhere.store(name('a'), as_bytes("x")); }), 507);
}

TEST_F(FileCaching, MakesOneFileForAllWhoAskMeanwhile) {
  FileCache files(options(100));
  std::latch began(1);
  std::promise<void> may_end;
  auto end = may_end.get_future().share();
  auto slow = [&](const std::string& path, const FileCache::Grown& grown,
                  const std::stop_token& stop) {
    began.count_down();
    end.wait();
    bytes(10)(path, grown, stop);
  };
  auto first = std::async(std::launch::async, [&] { return files.get(name('a'), slow, {}).size; });
  began.wait();
  auto second = std::async(std::launch::async, [&] { return files.get(name('a'), slow, {}).size; });
  may_end.set_value();
  EXPECT_EQ(first.get(), 10U);
  EXPECT_EQ(second.get(), 10U);
  EXPECT_EQ(made_, 1);
}

TEST_F(FileCaching, StopsWhenTheLastClientHasGone) {
  FileCache files(options(100));
  std::latch began(1);
  auto endless = [&](const std::string&, const FileCache::Grown&, const std::stop_token& stop) {
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
    return std::async(std::launch::async, [&files, &endless, stop] {
      try {
        files.get(name('a'), endless, stop);
      } catch (const Error& error) {
        return error.code();
      }
      return ErrorCode::remark;
    });
  };
  auto makes = ask(first.get_token());
  began.wait();
  auto waits = ask(second.get_token());
  second.request_stop();
  EXPECT_EQ(waits.get(), ErrorCode::cancelled);
  first.request_stop();
  EXPECT_EQ(makes.get(), ErrorCode::cancelled);
}

TEST_F(FileCaching, RefusesWhenTooManyWait) {
  FileCache files({folder_.path("cache"), 100, 1});
  std::latch began(1);
  std::promise<void> may_end;
  auto slow = [&, end = may_end.get_future().share()](const std::string& path,
                                                      const FileCache::Grown& grown,
                                                      const std::stop_token& stop) {
    began.count_down();
    end.wait();
    bytes(10)(path, grown, stop);
  };
  auto first = std::async(std::launch::async, [&] { files.get(name('a'), slow, {}); });
  began.wait();
  EXPECT_EQ(status_of([&] { files.get(name('b'), bytes(1), {}); }), 503);
  may_end.set_value();
  first.get();
}

}  // namespace
}  // namespace kitbag::server
