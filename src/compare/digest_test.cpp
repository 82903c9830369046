#include <fmt/format.h>
#include <gmock/gmock.h>

#include "kitbag/compare.h"
#include "kitbag/pipeline.h"
#include "tests/support/memory_source.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::memory_source;
using test::MemoryOptions;
using test::Samples;

/// "topic type count sha256" a line.
std::string digested(Samples samples, MemoryOptions options = {}) {
  auto source = memory_source(std::move(samples), std::move(options));
  std::string lines;
  for (const TopicDigest& each : digest(*source)) {
    lines += fmt::format("{} {} {} {}\n", each.topic, each.type, each.messages, each.sha256);
  }
  return lines;
}

// Expected hashes: printf '\1\0\0\0\0\0\0\0hello' | sha256sum
TEST(Digest, IsTheSha256OfTimesAndPayloads) {
  EXPECT_EQ(digested({{"/a", 1, "hello"}}),
            "/a test/Type 1 0c1ce1849baa64f0cbfff50a89d12c63a11cad4e76c76a437d5ffb203cfb491f\n");
  EXPECT_EQ(digested({{"/a", 1, "hello"}, {"/a", 0x0102030405060708, ""}}),
            "/a test/Type 2 59f0108ecdfa8bbae606bba39de8ae148d892c648583bb2788ae63fe01a8b130\n");
}

TEST(Digest, SortedByTopicThenType) {
  auto source = memory_source({{"/b", 1, ""}, {"/a", 1, "", "z/Z"}, {"/a", 2, "", "a/A"}});
  std::vector<TopicDigest> digests = digest(*source);
  ASSERT_EQ(digests.size(), 3U);
  EXPECT_EQ(digests[0].topic + digests[0].type, "/aa/A");
  EXPECT_EQ(digests[1].topic + digests[1].type, "/az/Z");
  EXPECT_EQ(digests[2].topic + digests[2].type, "/btest/Type");
}

TEST(Digest, DoesNotDependOnBatches) {
  Samples samples;
  for (std::int64_t i = 0; i < 1000; ++i) {
    samples.push_back({fmt::format("/{}", i % 3), i, std::to_string(i)});
  }
  std::string whole = digested(samples);
  EXPECT_EQ(digested(samples, {.batch_messages = 1, .declares_late = true, .empty_reads = 1}),
            whole);
  samples[500].data += "!";
  EXPECT_NE(digested(samples), whole);
}

TEST(Digest, ChannelsOfOneTopicAndTypeShareOne) {
  std::vector<std::unique_ptr<Source>> sources;
  sources.push_back(memory_source({{"/a", 1, "x"}}, {.metadata = {{"callerid", "/one"}}}));
  sources.push_back(memory_source({{"/a", 2, "y"}}, {.metadata = {{"callerid", "/two"}}}));
  auto both = merge(std::move(sources), Order::time);
  ASSERT_EQ(both->channels()->size(), 2U);
  auto one = memory_source({{"/a", 1, "x"}, {"/a", 2, "y"}});
  std::vector<TopicDigest> digests = digest(*both);
  ASSERT_EQ(digests.size(), 1U);
  EXPECT_EQ(digests[0].messages, 2U);
  EXPECT_EQ(digests[0].sha256, digest(*one)[0].sha256);
}

TEST(Digest, TopicsWithoutMessagesAreNotListed) {
  Query early;
  early.end = from_ns(2);
  auto source = through(memory_source({{"/a", 1, ""}, {"/b", 2, ""}}), filter(early));
  EXPECT_EQ(digest(*source).size(), 1U);
  EXPECT_EQ(digested({}), "");
}

TEST(Digest, IsCancelledRatherThanHalf) {
  auto source = memory_source({{"/a", 1, ""}});
  std::stop_source stop;
  stop.request_stop();
  Error error = test::thrown_by([&] { digest(*source, stop.get_token()); });
  EXPECT_EQ(error.code(), ErrorCode::cancelled);
}

}  // namespace
}  // namespace kitbag
