#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace kitbag::server {

/// Counts the slices that hold memory of their bag: chunks, and the batch that is being printed. A
/// few are worked on at a time; if there are many more, each releases its memory after every piece.
/// Any thread.
class OpenSlices {
 public:
  /// A slice among them. Moved from, it is no longer one.
  class Place {
   public:
    explicit Place(std::shared_ptr<OpenSlices> all) : all_(std::move(all)) {}
    Place(Place&& other) noexcept
        : all_(std::move(other.all_)), is_in_(std::exchange(other.is_in_, false)) {}
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() { leave(); }

    void enter() {
      if (!std::exchange(is_in_, true)) ++all_->count_;
    }
    void leave() {
      if (std::exchange(is_in_, false)) --all_->count_;
    }
    bool is_crowded() const { return is_in_ && all_->count_ > kMostOpen; }

   private:
    std::shared_ptr<OpenSlices> all_;
    bool is_in_ = false;
  };

 private:
  static constexpr std::size_t kMostOpen = 12;

  std::atomic<std::size_t> count_ = 0;
};

}  // namespace kitbag::server
