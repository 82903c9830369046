#include "compare/topic_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "kitbag/error.h"
#include "kitbag/text.h"

// Two rules, which depend on whether times count.
//
// With times, the earlier of two different messages at the front has no counterpart, and two
// different ones of the same time are a pair that differs.
//
// Without, only the content says what belongs together. Pairs (i, j) of places are tried in the
// order of i + j, so the match that skips the fewest messages wins, among kLookAhead on each side:
//
//   A   a b x c d         the nearest match behind a b is (1, 0), c with c:
//   B   a b c d           x is only in A
//
// A full diff (longest common subsequence) would need both bags in memory. If there is no match
// within kLookAhead, the two at the front differ, and the search begins again behind them: at most
// 32 * 32 payloads are compared for each message that differs, their sizes first.
//
// A message is copied only if its counterpart is not there yet. Bags that are equal and equally
// ordered are compared in place.

namespace kitbag {
namespace {

/// How many messages are looked at on each side to find where they are equal again.
constexpr std::size_t kLookAhead = 32;

char name_of(Side side) {
  return side == kSideA ? 'A' : 'B';
}

bool is_equal(ByteView a, ByteView b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

std::string payload_difference(ByteView a, ByteView b) {
  auto place = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
  return fmt::format("payload differs at byte {} (A {} bytes, B {} bytes)", place, a.size(),
                     b.size());
}

}  // namespace

bool TopicComparison::is_same(const Waiting& waiting, const Message& message) const {
  return (state_.ignore_time || waiting.log_time == message.log_time) &&
         is_equal(waiting.data, message.data) && waiting.channel->type() == message.channel->type();
}

bool TopicComparison::is_same(const Waiting& a, const Waiting& b) const {
  return is_same(a, Message{b.channel, 0, 0, b.log_time, b.log_time, b.data});
}

void TopicComparison::add(Side side, const Message& message) {
  const auto& promised = has_none_until_[side];
  if (has_no_more_[side] || (promised && is_before(message.log_time, *promised))) {
    throw Error(ErrorCode::unsupported,
                fmt::format("the bags differ too much in order on {}; compare them in time order, "
                            "or fewer topics at once",
                            topic_));
  }
  const auto& theirs = waiting_[other(side)];
  if (waiting_[side].empty()) {  // mostly; such a message need not be copied
    if (theirs.empty() && has_ended(other(side))) return note_gap(side, message.log_time);
    if (!theirs.empty() && is_same(theirs.front(), message)) {
      pop(other(side));
      return match();
    }
  }
  push(side, message);
  align();
}

/// Decides what can be decided.
void TopicComparison::align() {
  auto& [a, b] = waiting_;
  while (!a.empty() && !b.empty()) {
    Time time_a = a.front().log_time;
    Time time_b = b.front().log_time;
    if (is_same(a.front(), b.front())) {
      pop(kSideA);
      pop(kSideB);
      match();
    } else if (state_.ignore_time) {
      if (!resync()) return;
    } else if (time_a == time_b) {
      differ();
    } else {
      only_in(is_before(time_a, time_b) ? kSideA : kSideB);
    }
  }
  for (Side side : {kSideA, kSideB}) {
    while (has_ended(other(side)) && !waiting_[side].empty()) only_in(side);
  }
}

void TopicComparison::expect_none(Side side) {
  has_no_more_[side] = true;
  align();
}

void TopicComparison::expect_none(Side side, Time until) {
  has_none_until_[side] = until;
  const auto& waiting = waiting_[other(side)];
  if (!waiting_[side].empty()) return;
  while (!waiting.empty() && is_before(waiting.front().log_time, until)) only_in(other(side));
}

void TopicComparison::finish() {
  align();
  if (!gap_ || !wants_text()) return;
  std::string count = fmt::format("({} message{})", gap_->count, gap_->count == 1 ? "" : "s");
  if (done_[other(gap_->side)] == 0) {
    tell(fmt::format("only in {} {}", name_of(gap_->side), count));
  } else {
    tell(fmt::format("only in {} from message {} on {}", name_of(gap_->side), gap_->first, count));
  }
}

void TopicComparison::push(Side side, const Message& message) {
  waiting_[side].push_back(
      {message.channel, message.log_time, {message.data.begin(), message.data.end()}});
  state_.waiting[side] += message.data.size() + sizeof(Waiting);
}

void TopicComparison::pop(Side side) {
  state_.waiting[side] -= waiting_[side].front().data.size() + sizeof(Waiting);
  waiting_[side].pop_front();
}

void TopicComparison::note_gap(Side side, Time time) {
  if (gap_ && gap_->side != side) close_gap();
  if (!gap_) gap_ = Gap{side, done_[side], 0, time};
  ++gap_->count;
  ++done_[side];
  ++state_.result.differences;
}

/// Reports a gap, which a common or different message has ended.
void TopicComparison::close_gap() {
  if (!gap_) return;
  if (wants_text()) {
    std::string which = gap_->count == 1 ? fmt::format("message {} at", gap_->first)
                                         : fmt::format("messages {} to {} from", gap_->first,
                                                       gap_->first + gap_->count - 1);
    tell(fmt::format("{} {}: only in {}", which, format_seconds(gap_->time), name_of(gap_->side)));
  }
  gap_.reset();
}

/// Two messages that were equal are done with.
void TopicComparison::match() {
  close_gap();
  for (auto& done : done_) ++done;
}

/// The first message waiting has no counterpart.
void TopicComparison::only_in(Side side) {
  note_gap(side, waiting_[side].front().log_time);
  pop(side);
}

/// The first messages waiting are each other's counterparts, and not the same.
void TopicComparison::differ() {
  close_gap();
  const Waiting& a = waiting_[kSideA].front();
  const Waiting& b = waiting_[kSideB].front();
  if (wants_text()) {
    const std::string& type_a = a.channel->type();
    const std::string& type_b = b.channel->type();
    std::string what = type_a == type_b ? payload_difference(a.data, b.data)
                                        : fmt::format("type differs (A {}, B {})", type_a, type_b);
    tell(fmt::format("message {} at {}: {}", done_[kSideA], format_seconds(a.log_time), what));
  }
  ++state_.result.differences;
  for (Side side : {kSideA, kSideB}) {
    pop(side);
    ++done_[side];
  }
}

/// Passes over what differs at the front. False: more messages must come before that can be said.
bool TopicComparison::resync() {
  for (Side side : {kSideA, kSideB}) {
    // With fewer messages a match could be found that is not the nearest one.
    if (waiting_[side].size() < kLookAhead && !has_ended(side)) return false;
  }
  auto equal = find_equal();
  if (!equal) {
    differ();
    return true;
  }
  auto [a, b] = *equal;
  std::size_t pairs = std::min(a, b);
  for (std::size_t i = 0; i < pairs; ++i) differ();
  for (std::size_t i = pairs; i < a; ++i) only_in(kSideA);
  for (std::size_t i = pairs; i < b; ++i) only_in(kSideB);
  return true;
}

/// The nearest places, by side, from which both are equal again.
std::optional<std::array<std::size_t, 2>> TopicComparison::find_equal() const {
  const auto& [a, b] = waiting_;
  std::size_t end_a = std::min(a.size(), kLookAhead);
  std::size_t end_b = std::min(b.size(), kLookAhead);
  for (std::size_t sum = 1; sum + 1 < end_a + end_b; ++sum) {
    for (std::size_t i = sum < end_b ? 0 : sum - end_b + 1; i <= sum && i < end_a; ++i) {
      if (is_same(a[i], b[sum - i])) return {{i, sum - i}};
    }
  }
  return std::nullopt;
}

}  // namespace kitbag
