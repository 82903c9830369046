#pragma once

#include "python.h"

#include <atomic>

#include "bag.h"
#include "kitbag/pipeline.h"

namespace kitbag::python {

/// How many messages the bags have.
inline std::uint64_t messages_in(const Bags& bags) {
  std::uint64_t total = 0;
  for (const BagPtr& bag : bags.all()) total += bag->summary().messages;
  return total;
}

/// Counts the messages of a source, for a function of Python that is called with the number of
/// those that were read and of all, ten times a second. What it raises is thrown by tell().
class MessageProgress {
 public:
  MessageProgress(py::object function, std::uint64_t total)
      : function_(std::move(function)), total_(total) {}

  /// The same source; this object must outlive it.
  std::unique_ptr<Source> watched(std::unique_ptr<Source> source) {
    return through(std::move(source), std::make_unique<Count>(messages_));
  }

  /// Calls the function, if it is time for it. Needs the GIL, as tell_end() does.
  void tell() {
    if (function_.is_none() || Clock::now() < next_) return;
    next_ = Clock::now() + std::chrono::milliseconds(100);
    function_(messages_.load(), total_.load());
  }
  /// Calls it a last time.
  void tell_end(std::uint64_t messages) {
    if (!function_.is_none()) function_(messages, total_.load());
  }
  std::uint64_t messages() const { return messages_; }
  /// For a number of all that is known late; from any thread.
  void set_total(std::uint64_t total) { total_ = total; }

 private:
  using Clock = std::chrono::steady_clock;

  class Count final : public Stage {
   public:
    explicit Count(std::atomic<std::uint64_t>& messages) : messages_(messages) {}
    void apply(Batch& batch) override { messages_ += std::as_const(batch).messages().size(); }

   private:
    std::atomic<std::uint64_t>& messages_;
  };

  py::object function_;
  std::atomic<std::uint64_t> total_;
  std::atomic<std::uint64_t> messages_ = 0;
  Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(100);
};

}  // namespace kitbag::python
