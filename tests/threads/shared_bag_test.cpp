// A bag that several threads read at once, on every format: under ThreadSanitizer too.

#include <gtest/gtest.h>

#include <thread>

#include "kitbag/kitbag.h"
#include "tests/support/bags.h"

namespace kitbag::testing {
namespace {

std::vector<TestMessage> interleaved_messages() {
  std::vector<TestMessage> messages;
  for (std::uint32_t i = 0; i < 300; ++i) {
    std::int64_t time = 1'000'000 + i * 10 - (i % 7) * 25;
    messages.push_back({i % 3, time, "payload " + std::to_string(i)});
  }
  return messages;
}

std::vector<Query> queries() {
  std::vector<Query> all(4);
  all[1].order = Order::reverse_time;
  all[2].order = Order::file;
  all[3].select.topics = {"/b"};
  all[3].begin = from_ns(1'001'000);
  return all;
}

class SharedBag : public ::testing::TestWithParam<FormatCase> {};

/// The first to ask may be any thread: what is opened or counted lazily is, once.
TEST_P(SharedBag, GivesEveryThreadWhatItGivesOne) {
  auto stored = GetParam().store(GetParam().options(1'500, 1), interleaved_messages());
  std::vector<std::vector<TestMessage>> expected;
  for (const Query& query : queries()) expected.push_back(read_messages(*stored.open(), query));
  auto bag = stored.open();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (std::size_t k = 0; k < 4; ++k) {
        std::size_t which = (i + k) % 4;
        EXPECT_EQ(read_messages(*bag, queries()[which]), expected[which]) << which;
        EXPECT_EQ(bag->summary().messages, expected[0].size());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

INSTANTIATE_TEST_SUITE_P(Formats, SharedBag, ::testing::ValuesIn(formats_and_directories()),
                         case_name);

}  // namespace
}  // namespace kitbag::testing
