#pragma once

#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <cstdio>

namespace bench {

/// Measures from its construction to report(): wall time, processor time of all threads.
class Meter {
 public:
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;  ///< of payload
  std::uint64_t sum = 0;    ///< of touch()

  /// Prints one line of JSON.
  void report() const {
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start_;
    std::printf(
        "{\"messages\": %llu, \"bytes\": %llu, \"sum\": %llu, \"wall_s\": %.6f, "
        "\"cpu_s\": %.6f, \"peak_bytes\": %lld}\n",
        static_cast<unsigned long long>(messages), static_cast<unsigned long long>(bytes),
        static_cast<unsigned long long>(sum), wall.count(), cpu_seconds() - cpu_,
        static_cast<long long>(usage().ru_maxrss) * 1024);
  }

 private:
  static rusage usage() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return used;
  }
  static double cpu_seconds() {
    const rusage used = usage();
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
  }

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double cpu_ = cpu_seconds();
};

}  // namespace bench
