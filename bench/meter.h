#pragma once

#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

namespace bench {

/// Measures from its construction, or start(), to stop() or report(): wall time, and processor time
/// of all threads.
class Meter {
 public:
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;  ///< of payload
  std::uint64_t sum = 0;    ///< of touch()

  std::uint64_t cached_bytes = 0;  ///< of the file, left in the page cache
  double latency_us = 0;           ///< that few messages have more of
  double drift_us = 0;             ///< how late the last messages were, in the mean
  std::uint64_t dropped = 0;       ///< messages
  std::string histogram = "[]";    ///< JSON: pairs of an upper bound in us and a count

  /// Starts again.
  void start() {
    before_kib_ = peak_kib();
    start_ = std::chrono::steady_clock::now();
    cpu_ = cpu_seconds();
  }
  /// Ends the measuring before report().
  void stop() {
    end_ = std::chrono::steady_clock::now();
    end_cpu_ = cpu_seconds();
  }

  /// Prints one line of JSON.
  void report() {
    if (end_ == std::chrono::steady_clock::time_point()) stop();
    const std::chrono::duration<double> wall = end_ - start_;
    std::printf(
        "{\"messages\": %llu, \"bytes\": %llu, \"sum\": %llu, \"wall_s\": %.6f, "
        "\"cpu_s\": %.6f, \"peak_bytes\": %lld, \"peak_before_bytes\": %lld, "
        "\"cached_bytes\": %llu, \"latency_us\": %.1f, \"drift_us\": %.1f, "
        "\"dropped\": %llu, \"histogram\": %s}\n",
        static_cast<unsigned long long>(messages), static_cast<unsigned long long>(bytes),
        static_cast<unsigned long long>(sum), wall.count(), end_cpu_ - cpu_, peak_kib() * 1024LL,
        before_kib_ * 1024LL, static_cast<unsigned long long>(cached_bytes), latency_us, drift_us,
        static_cast<unsigned long long>(dropped), histogram.c_str());
  }

 private:
  static double cpu_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
  }

  /// Not getrusage's ru_maxrss: that begins with what the parent had when it forked.
  static long peak_kib() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmHWM:")) return std::stol(line.substr(6));
    }
    return 0;
  }

  long before_kib_ = peak_kib();
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double cpu_ = cpu_seconds();
  std::chrono::steady_clock::time_point end_;
  double end_cpu_ = 0;
};

}  // namespace bench
