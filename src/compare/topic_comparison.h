#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/compare.h"

namespace kitbag {

enum Side : std::size_t { kSideA, kSideB };
constexpr Side other(Side side) {
  return side == kSideA ? kSideB : kSideA;
}

/// What the comparisons of all topics of two sources share.
struct ComparisonState {
  bool ignore_time = false;
  std::size_t keep = 10;
  bool is_descending = false;            ///< the sources run backwards in time
  std::array<bool, 2> has_ended{};       ///< by side: no more messages will come
  std::array<std::size_t, 2> waiting{};  ///< by side: bytes of messages that wait for the other
  Comparison result;
};

/// One topic of two sources, its messages as they come. With times compared, a message that has
/// no counterpart is found by its time. Without, by looking a few messages ahead on both sides for
/// the nearest place from which they are equal again; otherwise one lost message would make all
/// later ones differ.
class TopicComparison {
 public:
  /// `state` outlives this.
  TopicComparison(std::string topic, ComparisonState& state)
      : topic_(std::move(topic)), state_(state) {}

  /// Takes the next message of a side; what it points at is copied if it must wait. Its channel
  /// must live on. Throws Error (unsupported) for one that expect_none() excluded.
  void add(Side side, const Message& message);
  /// Promises that `side` brings no more messages of this topic (before `until`), so that what
  /// waits for them need not wait any longer.
  void expect_none(Side side);
  void expect_none(Side side, Time until);
  /// Reports what is left. Both sides have ended.
  void finish();

 private:
  struct Waiting {
    const Channel* channel;
    Time log_time;
    std::vector<std::byte> data;
  };
  /// Messages in a row that only one side has.
  struct Gap {
    Side side;
    std::uint64_t first;
    std::uint64_t count;
    Time time;
  };

  bool has_ended(Side side) const { return state_.has_ended[side] || has_no_more_[side]; }
  bool is_before(Time a, Time b) const { return state_.is_descending ? a > b : a < b; }
  bool wants_text() const { return state_.result.first.size() < state_.keep; }
  void tell(const std::string& text) { state_.result.first.push_back({topic_, text}); }
  bool is_same(const Waiting& waiting, const Message& message) const;
  bool is_same(const Waiting& a, const Waiting& b) const;

  void align();
  void push(Side side, const Message& message);
  void pop(Side side);
  void note_gap(Side side, Time time);
  void close_gap();
  void match();
  void only_in(Side side);
  void differ();
  bool resync();
  std::optional<std::array<std::size_t, 2>> find_equal() const;

  std::string topic_;
  ComparisonState& state_;
  std::array<std::deque<Waiting>, 2> waiting_;         ///< by side
  std::array<std::uint64_t, 2> done_{};                ///< by side: messages decided
  std::array<bool, 2> has_no_more_{};                  ///< by side: promised
  std::array<std::optional<Time>, 2> has_none_until_;  ///< by side: promised
  std::optional<Gap> gap_;
};

}  // namespace kitbag
