#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/message.h"
#include "kitbag/time.h"
#include "video/encoded_topic.h"

namespace kitbag {

/// A picture on its way through the encoder.
struct EncodingJob {
  EncodedTopic* topic = nullptr;
  Message message{};  ///< its payload is kept by whoever gives the job
  // What becomes of it, once it is done:
  EncodedMessage made = {};
  std::optional<Error> error = std::nullopt;
};

/// Threads that encode. The jobs of a topic are for one of them, in the order in which they are
/// given; so topics do not wait for each other as long as there are as many threads. The destructor
/// drops what waits.
class EncodingThreads {
 public:
  EncodingThreads(unsigned most, ClockPtr clock) : most_(most), clock_(std::move(clock)) {}
  ~EncodingThreads();
  EncodingThreads(const EncodingThreads&) = delete;
  EncodingThreads& operator=(const EncodingThreads&) = delete;

  /// The thread of one more topic.
  std::size_t add_topic();
  /// `job` has to stay where it is until it is done.
  void give(std::size_t thread, EncodingJob& job, bool& is_done);
  /// Whether it is done, as give() was told.
  bool is_done(const bool& flag) const;
  /// Waits until it is. False: `wait` ended first.
  bool await(const bool& flag, const Wait& wait);

 private:
  struct Thread {
    struct Given {
      EncodingJob* job;
      bool* is_done;
    };
    std::deque<Given> waiting;
    std::jthread thread;
  };

  void work(Thread& own, const std::stop_token& stop);

  unsigned most_;
  ClockPtr clock_;
  mutable std::mutex mutex_;  ///< for all that waits and all flags
  std::condition_variable_any changed_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::size_t topics_ = 0;
};

}  // namespace kitbag
