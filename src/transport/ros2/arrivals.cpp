#include "transport/ros2/arrivals.h"

namespace kitbag::ros2 {

Arrivals::Verdict Arrivals::arrived(const void* reader, std::uint64_t number) {
  bool is_news = number == 0 || number > last_;
  if (reader == next_reader_ && is_news) {
    reader_ = reader;
    next_reader_ = nullptr;
  }
  if (reader != reader_) return {};
  if (number <= last_) return {true, 0};
  // What was sent before a reader was there is not missing.
  std::uint64_t missing = last_ == 0 ? 0 : number - last_ - 1;
  last_ = number;
  return {true, missing};
}

}  // namespace kitbag::ros2
