#pragma once

#include <chrono>
#include <cstddef>
#include <iostream>
#include <string>
#include <thread>

namespace bench {

/// What a sender sends: "COUNT HZ BYTES TOPICS" of the command line.
struct Load {
  long messages;
  double hz;
  std::size_t bytes;
  std::size_t topics;

  static Load of(char** words) {
    return {std::stol(words[0]), std::stod(words[1]), std::stoul(words[2]), std::stoul(words[3])};
  }

  /// Calls `send(topic)` for each message at its time; `topic` counts from 0.
  template <class Send>
  void run(const Send& send) const {
    const auto start = std::chrono::steady_clock::now();
    for (long i = 0; i < messages; ++i) {
      // Every hundredth alone is waited for: sleeping costs more than sending.
      const std::chrono::duration<double> when(static_cast<double>(i) / hz);
      if (i % (hz > 1000 ? 100 : 1) == 0) {
        std::this_thread::sleep_until(start +
                                      std::chrono::duration_cast<std::chrono::nanoseconds>(when));
      }
      send(static_cast<std::size_t>(i) % topics);
    }
  }
};

/// Says that all is sent, and ends when standard input does.
inline void say_sent(long messages) {
  std::cout << "sent " << messages << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
  }
}

}  // namespace bench
