// Versions that are a plain run of records, damaged: no crash, no hang, and intact data before the
// damage and after it comes back. They say most things once, so some damage cannot be detected; if
// there is an index, a message's topic and time are never wrong without a report.

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "kitbag/kitbag.h"
#include "tests/support/bags.h"
#include "tests/support/thrown_by.h"

namespace kitbag::testing {
namespace {

/// A message by what it says, not by the slot of its channel, which depends on what was found.
struct Line {
  std::string topic;
  std::string type;
  std::int64_t time_ns = 0;
  std::string payload;

  bool operator==(const Line&) const = default;
};

/// What a lenient reader gets out of a file, in its order.
struct RunOutcome {
  bool is_refused = false;
  std::size_t problems = 0;
  std::vector<Line> messages;

  bool is_silent() const { return !is_refused && problems == 0; }
};

/// A message's record and what stands between it and the one before.
struct Stretch {
  std::size_t begin;
  std::size_t end;

  bool touches(std::size_t at, std::size_t size) const { return begin < at + size && at < end; }
};

class RunDamage : public ::testing::TestWithParam<FormatCase> {
 protected:
  RunDamage() {
    std::vector<TestMessage> messages;
    for (int i = 0; i < 12; ++i) {
      messages.push_back({static_cast<std::uint32_t>(i % 3), 1'000'000'000 + i * 1'000,
                          "the payload no. " + std::to_string(i) + "."});
    }
    bytes_ = GetParam().bytes(GetParam().options(200, 1), messages);
    whole_ = read(bytes_).messages;
    std::size_t at = 0;
    for (const TestMessage& message : messages) {
      std::size_t payload = as_text(bytes_).find(message.payload, at);
      std::size_t end = payload + message.payload.size();
      stretches_.push_back({at, end});
      at = end;
    }
    stretches_.front().begin = as_text(bytes_).find('\n') + 1;
  }

  RunOutcome read(ByteView bytes) const;
  std::size_t findings(ByteView bytes) const;
  void expect_rest(const RunOutcome& outcome, std::size_t at, std::size_t size) const;

  Session session_;
  std::vector<std::byte> bytes_;
  std::vector<Line> whole_;
  std::vector<Stretch> stretches_;
};

RunOutcome RunDamage::read(ByteView bytes) const {
  RunOutcome outcome;
  ReadOptions options{.on_problem = [&](const Error&) { ++outcome.problems; }};
  try {
    Query query;
    query.order = Order::file;
    auto source = session_.open(input_of(bytes), options)->read(query);
    for (Batch batch; source->read(batch, {}); batch.clear()) {
      for (const Message& message : batch.messages()) {
        outcome.messages.push_back({message.channel->topic, message.channel->type(),
                                    to_ns(message.log_time), std::string(as_text(message.data))});
      }
    }
  } catch (const Error&) {
    outcome.is_refused = true;
  }
  return outcome;
}

std::size_t RunDamage::findings(ByteView bytes) const {
  std::size_t count = 0;
  try {
    session_.check(input_of(bytes), {.on_problem = [&](const Error&) { ++count; }});
  } catch (const Error&) {
    ++count;
  }
  return count;
}

/// Without an index, only the length of the message before shows where a topic begins: damage to
/// that adds or removes characters.
bool is_like(const Line& found, const Line& whole, bool may_topic_differ) {
  Line renamed = found;
  bool is_shifted = whole.topic.ends_with(found.topic) || found.topic.ends_with(whole.topic);
  if (may_topic_differ && is_shifted) renamed.topic = whole.topic;
  return renamed == whole;
}

/// Every message that the damage does not touch is there, in order; in all there are no more than
/// there were.
void RunDamage::expect_rest(const RunOutcome& outcome, std::size_t at, std::size_t size) const {
  const auto& messages = outcome.messages;
  bool may_topic_differ = !GetParam().version.is_indexed;
  std::size_t found = 0;
  for (std::size_t i = 0; i < whole_.size(); ++i) {
    if (stretches_[i].touches(at, size)) continue;
    while (found < messages.size() && !is_like(messages[found], whole_[i], may_topic_differ)) {
      ++found;
    }
    ASSERT_LT(found, messages.size()) << "message " << i << " is lost";
  }
  ASSERT_LE(messages.size(), whole_.size());
}

/// Equal but for the bytes of one payload.
bool is_same_but_one(const std::vector<Line>& a, const std::vector<Line>& b) {
  auto key = [](const Line& line) { return std::tie(line.topic, line.time_ns); };
  std::size_t payloads = 0;
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (key(a[i]) != key(b[i])) return false;
    payloads += a[i].payload == b[i].payload ? 0U : 1U;
  }
  return payloads <= 1;
}

TEST_P(RunDamage, CutAnywhereGivesWhatIsWhole) {
  ASSERT_EQ(whole_.size(), 12U);
  for (std::size_t size = 0; size < bytes_.size(); ++size) {
    SCOPED_TRACE(::testing::Message() << "cut at " << size);
    ByteView cut = ByteView(bytes_).first(size);
    RunOutcome outcome = read(cut);
    std::size_t expected = 0;
    while (expected < whole_.size() && stretches_[expected].end <= size) ++expected;
    ASSERT_EQ(outcome.messages,
              std::vector<Line>(whole_.begin(), whole_.begin() + std::ptrdiff_t(expected)));
    ASSERT_EQ(findings(cut) > 0, !outcome.is_silent());
    bool is_boundary = expected > 0 && stretches_[expected - 1].end == size;
    bool is_empty_bag = size == stretches_.front().begin;
    bool has_index = GetParam().version.is_indexed;
    ASSERT_EQ(outcome.is_silent(), is_empty_bag || (is_boundary && !has_index));
    if (outcome.is_silent()) continue;
    ASSERT_TRUE(is_damage(test::thrown_by([&] { session_.open(input_of(cut)); }).code()));
  }
}

TEST_P(RunDamage, FlippedBytesHarmOneMessage) {
  std::size_t first = as_text(bytes_).find('\n') + 1;
  for (std::byte mask : kMasks) {
    for (std::size_t at = 0; at < bytes_.size(); ++at) {
      if (!flips_at(at, mask)) continue;
      SCOPED_TRACE(::testing::Message() << "flipped at " << at);
      std::vector<std::byte> flipped = bytes_;
      flipped[at] ^= mask;
      RunOutcome outcome = read(flipped);
      ASSERT_TRUE(outcome.is_silent() || findings(flipped) > 0) << "check does not notice";
      if (at < first) continue;  // another version, or none
      ASSERT_FALSE(outcome.is_refused);
      expect_rest(outcome, at, 1);
      if (HasFatalFailure()) return;
      if (outcome.is_silent() && GetParam().version.is_indexed) {
        ASSERT_TRUE(is_same_but_one(outcome.messages, whole_));
      }
    }
  }
}

TEST_P(RunDamage, HolesLoseOnlyWhatTheyTouch) {
  for (std::size_t size : {3U, 8U, 40U, 150U, 500U}) {
    for (std::size_t at = stretches_.front().begin; at + size <= bytes_.size(); at += kHoleStep) {
      for (std::byte filling : {std::byte{}, std::byte{0xa5}}) {
        SCOPED_TRACE(::testing::Message() << size << " bytes at " << at);
        std::vector<std::byte> holed = bytes_;
        std::fill_n(holed.begin() + static_cast<std::ptrdiff_t>(at), size, filling);
        RunOutcome outcome = read(holed);
        ASSERT_FALSE(outcome.is_refused);
        expect_rest(outcome, at, size);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(RunDamage, HarmsNoQuery) {
  for (std::size_t at = 0; at < bytes_.size(); ++at) {
    std::vector<std::byte> flipped = bytes_;
    flipped[at] ^= std::byte{0xff};
    for (Order order : {Order::time, Order::reverse_time}) {
      Query query;
      query.order = order;
      query.nth = 5;
      query.count = 2;
      query.begin = from_ns(1'000'002'000);
      try {
        auto bag = session_.open(input_of(flipped), {.on_problem = [](const Error&) {}});
        EXPECT_LE(read_messages(*bag, query).size(), 2U);
      } catch (const Error&) {
        EXPECT_LT(at, stretches_.front().begin) << "only the first line can make it no bag";
      }
    }
  }
}

std::vector<FormatCase> run_formats() {
  return cases_that(writable_formats(),
                    [](const FormatCase& one) { return !one.version.holds_metadata; });
}

INSTANTIATE_TEST_SUITE_P(Formats, RunDamage, ::testing::ValuesIn(run_formats()), case_name);

}  // namespace
}  // namespace kitbag::testing
