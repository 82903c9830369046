#include "export/video/shown_order.h"

#include <algorithm>
#include <utility>

// A frame that is predicted from a later one is decoded behind it. How many frames may be waiting
// to be shown is limited by the standards to 16: if there are more, the first of them in the order
// of showing cannot be preceded by one that is to come. A sequence that begins ends all that are
// waiting.
//
// A group ends where as many frames were decoded as were shown. In a stream without such frames
// each frame is a group.

namespace kitbag::libav {
namespace {

constexpr std::size_t kMostWaiting = 16;
constexpr std::uint64_t kNotYet = UINT64_MAX;

}  // namespace

void ShownOrder::add(CodedFrame frame) {
  if (frame.begins_sequence) {
    while (!waiting_.empty()) show_first();
    ++sequence_;
  }
  waiting_.emplace(sequence_, frame.order, first_ + frames_.size());
  frames_.push_back(std::move(frame));
  shown_at_.push_back(kNotYet);
  if (waiting_.size() > kMostWaiting) show_first();
  give_groups();
}

void ShownOrder::end() {
  while (!waiting_.empty()) show_first();
  give_groups();
}

void ShownOrder::show_first() {
  std::uint64_t number = std::get<2>(*waiting_.begin());
  waiting_.erase(waiting_.begin());
  shown_at_[static_cast<std::size_t>(number - first_)] = shown_++;
}

void ShownOrder::give_groups() {
  std::uint64_t last = 0;
  for (std::size_t count = 0; count < shown_at_.size() && shown_at_[count] != kNotYet;) {
    last = std::max(last, shown_at_[count]);
    ++count;
    if (last != first_ + count - 1) continue;
    std::vector<CodedFrame> group;
    for (std::size_t i = 0; i < count; ++i) {
      frames_.front().shown = static_cast<std::size_t>(shown_at_.front() - first_);
      group.push_back(std::move(frames_.front()));
      frames_.pop_front();
      shown_at_.pop_front();
    }
    first_ += count;
    count = 0;
    last = 0;
    on_group_(group);
  }
}

}  // namespace kitbag::libav
