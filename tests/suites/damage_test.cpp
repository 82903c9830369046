// Every format, cut at each byte and with each byte flipped: no crash, no hang, no allocation out
// of bounds (the asan preset limits one allocation to 256 MB), and no wrong answer without a word.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "kitbag/kitbag.h"
#include "tests/support/bags.h"

namespace kitbag::testing {
namespace {

std::vector<TestMessage> damage_messages() {
  std::vector<TestMessage> messages;
  for (int i = 0; i < 12; ++i) {
    messages.push_back({static_cast<std::uint32_t>(i % 3), 1'000'000'000 + i * 1'000,
                        "payload " + std::to_string(i)});
  }
  return messages;
}

/// What a lenient reader gets out of a file.
struct Outcome {
  bool is_refused = false;  ///< open or read threw
  std::size_t problems = 0;
  std::vector<TestMessage> messages;
  ChannelsPtr channels;

  bool is_silent() const { return !is_refused && problems == 0; }
};

Outcome read_leniently(ByteView bytes, const Registry& registry, const Query& query = {}) {
  Outcome outcome;
  ReadOptions options{.on_problem = [&](const Error&) { ++outcome.problems; }};
  try {
    auto bag = open(input_of(bytes), options, registry);
    outcome.channels = bag->summary().channels;
    outcome.messages = read_messages(*bag, query);
  } catch (const Error&) {
    outcome.is_refused = true;
  }
  return outcome;
}

std::size_t findings(ByteView bytes, const Registry& registry) {
  std::size_t count = 0;
  try {
    check(
        input_of(bytes), [&](const Error&) { ++count; }, registry);
  } catch (const Error&) {
    ++count;
  }
  return count;
}

/// Equal but for the bytes of one payload, which no format without checksums can tell.
bool differs_in_one_payload(const std::vector<TestMessage>& a, const std::vector<TestMessage>& b) {
  if (a.size() != b.size()) return false;
  std::size_t payloads = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].channel != b[i].channel || a[i].time_ns != b[i].time_ns) return false;
    if (a[i].payload.size() != b[i].payload.size()) return false;
    if (a[i].payload != b[i].payload) ++payloads;
  }
  return payloads <= 1;
}

bool same_channels(const Channels& a, const Channels& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return same_content(*x, *y); });
}

class Damage : public ::testing::TestWithParam<FormatCase> {
 protected:
  Damage()
      : messages_(damage_messages()),
        bytes_(bag_bytes(GetParam().format,
                         {.compression = GetParam().compression, .chunk_bytes = 200, .threads = 1},
                         messages_)) {}

  Registry registry_ = standard_registry();
  std::vector<TestMessage> messages_;
  std::vector<std::byte> bytes_;
};

TEST_P(Damage, CutAnywhereGivesWhatIsWhole) {
  std::size_t before = 0;
  for (std::size_t size = 0; size < bytes_.size(); ++size) {
    ByteView cut = ByteView(bytes_).first(size);
    Outcome outcome = read_leniently(cut, registry_);
    ASSERT_FALSE(outcome.is_silent()) << "cut at " << size;
    ASSERT_GE(outcome.messages.size(), before) << "cut at " << size;
    ASSERT_TRUE(std::equal(outcome.messages.begin(), outcome.messages.end(), messages_.begin()))
        << "cut at " << size;
    before = outcome.messages.size();
    ASSERT_THROW(read_messages(*open(input_of(cut), {}, registry_)), Error) << "cut at " << size;
    ASSERT_GT(findings(cut, registry_), 0U) << "cut at " << size;
  }
  EXPECT_EQ(before, messages_.size()) << "all messages are whole before the index is";
}

TEST_P(Damage, FlippedBytesAreNeverReadInSilence) {
  Outcome whole = read_leniently(bytes_, registry_);
  ASSERT_TRUE(whole.is_silent());
  ASSERT_EQ(whole.messages, messages_);
  std::size_t noticed = 0;
  for (std::byte mask : {std::byte{0x01}, std::byte{0x80}, std::byte{0xff}}) {
    for (std::size_t at = 0; at < bytes_.size(); ++at) {
      std::vector<std::byte> flipped = bytes_;
      flipped[at] ^= mask;
      Outcome outcome = read_leniently(flipped, registry_);
      std::size_t found = findings(flipped, registry_);
      if (outcome.is_silent()) {
        ASSERT_TRUE(differs_in_one_payload(outcome.messages, messages_)) << "flipped at " << at;
        ASSERT_TRUE(same_channels(*outcome.channels, *whole.channels)) << "flipped at " << at;
      } else {
        ++noticed;
        ASSERT_GT(found, 0U) << "reading notices what check does not, flipped at " << at;
      }
    }
  }
  EXPECT_GT(noticed, 1000U);
}

TEST_P(Damage, FlippedBytesHarmNoQuery) {
  for (std::size_t at = 0; at < bytes_.size(); ++at) {
    std::vector<std::byte> flipped = bytes_;
    flipped[at] ^= std::byte{0xff};
    for (Order order : {Order::time, Order::reverse_time, Order::file}) {
      Query query;
      query.order = order;
      query.nth = 5;
      query.count = 2;
      query.begin = from_ns(1'000'002'000);
      read_leniently(flipped, registry_, query);
    }
  }
}

TEST_P(Damage, ZerosAndForeignBytesAreNoBag) {
  for (std::size_t size : {1U, 13U, 100U, 5000U}) {
    std::vector<std::byte> zeros(size);
    EXPECT_TRUE(read_leniently(zeros, registry_).is_refused) << size;
  }
  EXPECT_TRUE(read_leniently({}, registry_).is_refused);
}

INSTANTIATE_TEST_SUITE_P(Formats, Damage, ::testing::ValuesIn(writable_formats()), case_name);

}  // namespace
}  // namespace kitbag::testing
