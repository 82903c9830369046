#include "transport/ros2/arrivals.h"

#include <algorithm>

namespace kitbag::ros2 {

Arrivals::Verdict Arrivals::arrived(const void* reader, std::uint64_t number) {
  bool is_older = number != 0 && number < first_;
  if (reader == next_reader_ && (number == 0 || is_older || number > last_)) {
    reader_ = reader;
    next_reader_ = nullptr;
    had_first_ = first_;
    had_last_ = last_;
    if (is_older) last_ = 0;
  }
  if (reader != reader_) return {};
  if (number != 0 && number >= had_first_ && number <= had_last_) {
    last_ = std::max(last_, number);
    return {};
  }
  if (number <= last_) return {true, 0};
  if (first_ == 0) first_ = number;
  // What was sent before a reader was there is not missing.
  std::uint64_t missing = last_ == 0 ? 0 : number - last_ - 1;
  last_ = number;
  return {true, missing};
}

}  // namespace kitbag::ros2
