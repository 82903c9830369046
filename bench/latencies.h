#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace bench {

/// What single calls take that come 2,000 times a second.
class Latencies {
 public:
  explicit Latencies(std::uint64_t count) { all_us_.reserve(count); }

  /// Waits until the next is due.
  void pace() {
    std::this_thread::sleep_until(next_ += std::chrono::microseconds(500));
    begin_ = Clock::now();
  }
  /// Takes what has passed since.
  void note() {
    all_us_.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin_).count());
  }
  /// The latency within which `within` of a thousand are.
  double of_thousand(std::size_t within) {
    const auto place =
        all_us_.begin() + static_cast<std::ptrdiff_t>(all_us_.size() * within / 1000);
    std::nth_element(all_us_.begin(), place, all_us_.end());
    return *place;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point next_ = Clock::now();
  Clock::time_point begin_;
  std::vector<double> all_us_;
};

}  // namespace bench
