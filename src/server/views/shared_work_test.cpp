#include "server/views/shared_work.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <exception>
#include <future>
#include <latch>
#include <stop_token>
#include <vector>

#include "kitbag/error.h"
#include "server/http/message.h"
#include "tests/support/thrown_by.h"

namespace kitbag::server {
namespace {

/// A work that has begun, and ends when the test says so.
struct Held {
  std::latch began{1};
  std::promise<int> end;
  std::shared_future<int> result = end.get_future().share();
  SharedWork<int>::Work work = [this](const std::stop_token&) {
    began.count_down();
    return result.get();
  };
};

std::future<int> ask(SharedWork<int>& shared, const SharedWork<int>::Work& work,
                     const std::stop_token& stop = {}) {
  return std::async(std::launch::async,
                    [&shared, work, stop] { return shared.get("key", work, stop); });
}

int unasked(const std::stop_token&) {
  ADD_FAILURE() << "this has been done by another one";
  return 0;
}

TEST(SharedWorks, AreDoneOnceForAll) {
  SharedWork<int> shared;
  Held held;
  auto first = ask(shared, held.work);
  held.began.wait();
  std::vector<std::future<int>> others;
  std::vector<std::stop_source> stops(3);
  for (std::stop_source& stop : stops) others.push_back(ask(shared, unasked, stop.get_token()));
  EXPECT_EQ(shared.get("other key", [](const std::stop_token&) { return 3; }, {}), 3);
  for (std::size_t i = 0; i < 3; ++i) {
    stops[i].request_stop();
    EXPECT_ERROR(cancelled, others[i].get());
  }
  held.end.set_value(7);
  EXPECT_EQ(first.get(), 7);
}

TEST(SharedWorks, WhatIsThrownIsThrownToAll) {
  SharedWork<int> shared;
  Held held;
  auto first = ask(shared, held.work);
  held.began.wait();
  held.end.set_exception(std::make_exception_ptr(Error(ErrorCode::io, "no")));
  EXPECT_ERROR(io, first.get());
  EXPECT_EQ(shared.get("key", [](const std::stop_token&) { return 3; }, {}), 3);
}

TEST(SharedWorks, OneThatIsGivenUpIsNotJoined) {
  SharedWork<int> shared;
  Held held;
  std::stop_source stop;
  auto first = ask(shared, held.work, stop.get_token());
  held.began.wait();
  stop.request_stop();
  auto second = ask(shared, [](const std::stop_token&) { return 3; });
  held.end.set_value(7);
  EXPECT_EQ(second.get(), 3);
  EXPECT_EQ(first.get(), 7);
}

TEST(SharedWorks, OneClientTooManyIsRefused) {
  SharedWork<int> shared(1);
  Held held;
  auto first = ask(shared, held.work);
  held.began.wait();
  EXPECT_THROW(ask(shared, unasked).get(), Refusal);
  held.end.set_value(7);
  EXPECT_EQ(first.get(), 7);
  EXPECT_EQ(shared.get("key", [](const std::stop_token&) { return 3; }, {}), 3);
}

}  // namespace
}  // namespace kitbag::server
