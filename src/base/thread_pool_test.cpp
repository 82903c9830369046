#include "base/thread_pool.h"

#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <latch>
#include <numeric>

namespace kitbag {
namespace {

TEST(ThreadPool, RunsEveryJobBeforeItEnds) {
  std::atomic<int> done = 0;
  {
    ThreadPool pool(4);
    for (int i = 0; i < 1000; ++i) pool.post([&] { ++done; });
  }
  EXPECT_EQ(done, 1000);
}

TEST(ThreadPool, OneThreadKeepsTheOrder) {
  std::vector<int> order;
  {
    ThreadPool pool(1);
    for (int i = 0; i < 100; ++i) pool.post([&order, i] { order.push_back(i); });
  }
  std::vector<int> expected(100);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

TEST(ThreadPool, RunsJobsAtTheSameTime) {
  ThreadPool pool(3);
  EXPECT_EQ(pool.size(), 3U);
  std::latch all(3);  // opens only when all three are under way
  std::vector<std::future<void>> ended;
  for (int i = 0; i < 3; ++i) {
    auto job = std::make_shared<std::packaged_task<void()>>([&all] { all.arrive_and_wait(); });
    ended.push_back(job->get_future());
    pool.post([job] { (*job)(); });
  }
  for (auto& future : ended) future.get();
}

TEST(ThreadPool, HasOneThreadAtLeast) {
  ThreadPool pool(0);
  EXPECT_EQ(pool.size(), 1U);
  std::promise<int> answer;
  pool.post([&] { answer.set_value(42); });
  EXPECT_EQ(answer.get_future().get(), 42);
}

TEST(ThreadPool, AJobMayPostAnother) {
  std::atomic<int> done = 0;
  {
    std::function<void(int)> chain;
    ThreadPool pool(2);
    chain = [&](int left) {
      ++done;
      if (left > 0) pool.post([&chain, left] { chain(left - 1); });
    };
    pool.post([&] { chain(10); });
  }
  EXPECT_EQ(done, 11);
}

TEST(ThreadPool, LetsGoOfWhatAJobHolds) {
  auto held = std::make_shared<int>(1);
  std::weak_ptr<int> watch = held;
  ThreadPool pool(1);
  pool.post([held = std::move(held)] {});
  std::promise<void> later;
  pool.post([&] { later.set_value(); });
  later.get_future().get();
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace kitbag
