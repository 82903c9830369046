#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "kitbag/stream.h"
#include "tests/support/memory_source.h"

namespace kitbag {
namespace {

using test::collect;
using test::memory_source;
using test::MemoryOptions;
using test::Samples;

/// Messages "0" to "9" in batches of three.
std::unique_ptr<Source> ten() {
  Samples samples;
  for (int i = 0; i < 10; ++i) samples.push_back({"/a", i, std::to_string(i)});
  return memory_source(std::move(samples), {.batch_messages = 3});
}

/// The data of all messages, one after the other.
std::string text_of(std::unique_ptr<Source> source) {
  std::string text;
  for (const test::Sample& sample : collect(*source)) text += sample.data;
  return text;
}

TEST(Slice, SkipsNthAndGivesCount) {
  EXPECT_EQ(text_of(slice(ten(), 4, 3)), "456");
  EXPECT_EQ(text_of(slice(ten(), 0, 1)), "0");
  EXPECT_EQ(text_of(slice(ten(), 3, 3)), "345");  // a batch as it is
  EXPECT_EQ(text_of(slice(ten(), 7, UINT64_MAX)), "789");
  EXPECT_EQ(text_of(slice(ten(), 0, 100)), "0123456789");
}

TEST(Slice, GivesNothingBehindTheEnd) {
  EXPECT_EQ(text_of(slice(ten(), 10, 3)), "");
  EXPECT_EQ(text_of(slice(ten(), UINT64_MAX, UINT64_MAX)), "");
  EXPECT_EQ(text_of(slice(ten(), 0, 0)), "");
}

TEST(Slice, OfEverythingIsTheSource) {
  auto source = ten();
  const Source* given = source.get();
  EXPECT_EQ(slice(std::move(source), 0, UINT64_MAX).get(), given);
}

TEST(Slice, ReadsNoFurtherThanTheLastMessage) {
  Samples samples{{"/a", 1, "1"}, {"/a", 2, "2"}, {"/a", 3, "3"}};
  MemoryOptions fails_behind{.fails_at = 2};
  EXPECT_EQ(text_of(slice(memory_source(samples, fails_behind), 1, 1)), "2");
}

TEST(Slice, APauseOfTheSourceIsOneOfTheSlice) {
  auto source = slice(memory_source({{"/a", 1, "1"}, {"/a", 2, "2"}}, {.empty_reads = 1}), 1, 1);
  Batch batch;
  EXPECT_TRUE(source->read(batch, {}));
  EXPECT_TRUE(batch.empty());
}

/// Marks the messages of /state as state.
class MarkState final : public Stage {
 public:
  void apply(Batch& batch) override {
    for (Message& message : batch.messages()) {
      if (message.channel->topic == "/state") message.flags |= kState;
    }
  }
};

TEST(Slice, StateIsGivenAndNotCounted) {
  Samples samples{
      {"/state", 1, "S"}, {"/a", 2, "2"}, {"/state", 2, "T"}, {"/a", 3, "3"}, {"/a", 4, "4"}};
  auto marked = [&] { return through(memory_source(samples), std::make_unique<MarkState>()); };
  EXPECT_EQ(text_of(slice(marked(), 1, 1)), "ST3");
  EXPECT_EQ(text_of(slice(marked(), 3, 1)), "ST");
}

}  // namespace
}  // namespace kitbag
