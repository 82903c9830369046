#include "compress/ordered_pool.h"

#include <gmock/gmock.h>

#include <atomic>
#include <latch>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>

namespace kitbag {
namespace {

using testing::ElementsAre;

struct NumberJob {
  int number = 0;
  int answer = 0;
};

std::unique_ptr<NumberJob> number_job(int number) {
  return std::make_unique<NumberJob>(NumberJob{number, 0});
}

std::vector<int> first_numbers(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// A gate that jobs wait at until the test opens it.
class Gate {
 public:
  void open() { latch_.count_down(); }
  void pass() { latch_.wait(); }

 private:
  std::latch latch_{1};
};

class OrderedPoolTest : public testing::TestWithParam<unsigned> {
 protected:
  std::vector<int> done_;
  OrderedPool<NumberJob>::Work note_ = [this](NumberJob& job) { done_.push_back(job.number); };
};

TEST_P(OrderedPoolTest, KeepsTheOrderOfJobsOfAnyLength) {
  auto work = [](NumberJob& job) {
    std::minstd_rand random(static_cast<unsigned>(job.number));
    for (unsigned i = 0; i < random() % 20'000; ++i) job.answer = static_cast<int>(random());
    job.answer = job.number * 2;
  };
  auto note = [this](NumberJob& job) {
    EXPECT_EQ(job.answer, job.number * 2);
    done_.push_back(job.number);
  };
  OrderedPool<NumberJob> pool(GetParam(), 5, work, note);
  for (int i = 0; i < 2000; ++i) pool.submit(number_job(i));
  pool.drain();
  EXPECT_EQ(done_, first_numbers(2000));
}

TEST_P(OrderedPoolTest, DrainHandsBackEverythingAndMoreMayFollow) {
  OrderedPool<NumberJob> pool(
      GetParam(), 4, [](NumberJob&) {}, note_);
  pool.drain();
  for (int i = 0; i < 3; ++i) pool.submit(number_job(i));
  pool.drain();
  EXPECT_THAT(done_, ElementsAre(0, 1, 2));
  pool.submit(number_job(3));
  pool.drain();
  EXPECT_THAT(done_, ElementsAre(0, 1, 2, 3));
}

TEST_P(OrderedPoolTest, AnErrorInWorkComesAfterTheJobsBeforeIt) {
  auto work = [](NumberJob& job) {
    if (job.number == 7) throw std::runtime_error("seven");
  };
  OrderedPool<NumberJob> pool(GetParam(), 3, work, note_);
  auto submit_all = [&] {
    for (int i = 0; i < 100; ++i) pool.submit(number_job(i));
    pool.drain();
  };
  EXPECT_THROW(submit_all(), std::runtime_error);
  EXPECT_EQ(done_, first_numbers(7));
}

TEST_P(OrderedPoolTest, AnErrorInDoneComesToTheCaller) {
  auto done = [this](NumberJob& job) {
    if (job.number == 7) throw std::runtime_error("seven");
    done_.push_back(job.number);
  };
  OrderedPool<NumberJob> pool(
      GetParam(), 3, [](NumberJob&) {}, done);
  auto submit_all = [&] {
    for (int i = 0; i < 100; ++i) pool.submit(number_job(i));
    pool.drain();
  };
  EXPECT_THROW(submit_all(), std::runtime_error);
  EXPECT_EQ(done_, first_numbers(7));
}

TEST_P(OrderedPoolTest, IsEmptyAfterAnErrorAndWorksAgain) {
  auto fail_once = [](NumberJob& job) {
    if (job.number == 0) throw std::runtime_error("once");
  };
  for (bool in_work : {true, false}) {
    done_.clear();
    auto done = [&](NumberJob& job) {
      if (!in_work) fail_once(job);
      note_(job);
    };
    auto work = [&](NumberJob& job) {
      if (in_work) fail_once(job);
    };
    OrderedPool<NumberJob> pool(GetParam(), 8, work, done);
    auto begin = [&] {
      for (int i = 0; i < 5; ++i) pool.submit(number_job(i));
      pool.drain();
    };
    EXPECT_THROW(begin(), std::runtime_error);
    pool.drain();
    EXPECT_THAT(done_, ElementsAre());
    pool.submit(number_job(41));
    pool.submit(number_job(42));
    pool.drain();
    EXPECT_THAT(done_, ElementsAre(41, 42));
  }
}

TEST_P(OrderedPoolTest, JobsAreUsedAgain) {
  OrderedPool<NumberJob> pool(
      GetParam(), 2, [](NumberJob&) {}, note_);
  EXPECT_EQ(pool.take()->number, 0);
  auto job = number_job(5);
  NumberJob* place = job.get();
  pool.submit(std::move(job));
  pool.drain();
  EXPECT_EQ(pool.take().get(), place);
}

TEST_P(OrderedPoolTest, DestroyedWithJobsUnderWay) {
  std::atomic<int> worked = 0;
  {
    OrderedPool<NumberJob> pool(
        GetParam(), 50, [&](NumberJob&) { ++worked; }, note_);
    for (int i = 0; i < 40; ++i) pool.submit(number_job(i));
  }
  EXPECT_LE(done_.size(), 40U);
  EXPECT_EQ(done_, first_numbers(static_cast<int>(done_.size())));
  EXPECT_EQ(worked, 40);  // the threads have ended what they were given
}

INSTANTIATE_TEST_SUITE_P(Threads, OrderedPoolTest, testing::Values(0U, 1U, 2U, 4U));

TEST(OrderedPool, WithoutThreadsEveryJobIsHandedBackAtOnce) {
  auto caller = std::this_thread::get_id();
  std::vector<std::string> calls;
  OrderedPool<NumberJob> pool(
      0, 9,
      [&](NumberJob& job) {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        calls.push_back("work " + std::to_string(job.number));
      },
      [&](NumberJob& job) { calls.push_back("done " + std::to_string(job.number)); });
  pool.submit(number_job(1));
  pool.submit(number_job(2));
  EXPECT_THAT(calls, ElementsAre("work 1", "done 1", "work 2", "done 2"));
}

TEST(OrderedPool, HandsBackOnTheCallersThread) {
  auto caller = std::this_thread::get_id();
  OrderedPool<NumberJob> pool(
      2, 4, [&](NumberJob&) { EXPECT_NE(std::this_thread::get_id(), caller); },
      [&](NumberJob&) { EXPECT_EQ(std::this_thread::get_id(), caller); });
  for (int i = 0; i < 50; ++i) pool.submit(number_job(i));
  pool.drain();
}

TEST(OrderedPool, NoMoreThanDepthAreUnderWay) {
  std::atomic<int> under_way = 0;
  std::atomic<int> most = 0;
  auto done = [&](NumberJob&) { --under_way; };
  auto work = [&](NumberJob&) {
    int now = under_way;
    if (now > most) most = now;
  };
  OrderedPool<NumberJob> pool(4, 3, work, done);
  for (int i = 0; i < 500; ++i) {
    // Counted before submit(), which may have to hand one back first.
    ++under_way;
    pool.submit(number_job(i));
    ASSERT_LE(under_way, 3);
  }
  pool.drain();
  EXPECT_EQ(under_way, 0);
}

TEST(OrderedPool, TakesDepthJobsWithoutWaiting) {
  Gate gate;
  std::vector<int> done;
  OrderedPool<NumberJob> pool(
      2, 6, [&](NumberJob&) { gate.pass(); }, [&](NumberJob& job) { done.push_back(job.number); });
  for (int i = 0; i < 6; ++i) pool.submit(number_job(i));  // would never return if it waited
  EXPECT_TRUE(done.empty());
  gate.open();
  pool.drain();
  EXPECT_EQ(done, first_numbers(6));
}

TEST(OrderedPool, ADepthOfNoneIsOne) {
  std::vector<int> done;
  OrderedPool<NumberJob> pool(
      2, 0, [](NumberJob&) {}, [&](NumberJob& job) { done.push_back(job.number); });
  for (int i = 0; i < 10; ++i) pool.submit(number_job(i));
  pool.drain();
  EXPECT_EQ(done, first_numbers(10));
}

TEST(OrderedPool, ALaterErrorDoesNotOvertakeAnEarlierJob) {
  Gate gate;
  std::vector<int> done;
  OrderedPool<NumberJob> pool(
      2, 4,
      [&](NumberJob& job) {
        if (job.number == 0) gate.pass();
        if (job.number == 1) throw std::runtime_error("one");
      },
      [&](NumberJob& job) { done.push_back(job.number); });
  pool.submit(number_job(0));
  pool.submit(number_job(1));
  gate.open();
  EXPECT_THROW(pool.drain(), std::runtime_error);
  EXPECT_THAT(done, ElementsAre(0));
}

}  // namespace
}  // namespace kitbag
