#include "transport/ros2/arrivals.h"

#include <algorithm>

// Two readers may overlap while a publisher moves from one to the other:
//
//   first reader    5 6 7 8 . 10          counts until the other has something new
//   next reader     3 4 5 6 7 8 9 10 11   3 is new: from here on it counts
//
// What the first reader had (had_first_ to had_last_) comes a second time and is not counted. 3 and
// 4 were kept by the publisher from before; the count of what is missing starts anew with them. 9
// was counted as missing, and stays so.

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
