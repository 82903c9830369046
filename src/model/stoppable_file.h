#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/file.h"

namespace kitbag {

/// A file whose reads throw Error (cancelled) while a stop is requested.
class StoppableFile final : public ReadFile {
 public:
  StoppableFile(std::shared_ptr<const ReadFile> file, std::stop_token stop)
      : file_(std::move(file)), stop_(std::move(stop)) {}

  /// From now on, a stop has no effect.
  void ignore_stop() { heeds_stop_ = false; }

  std::uint64_t size() const override { return file_->size(); }
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (heeds_stop_.load(std::memory_order_relaxed)) throw_if_stopped({stop_, kNever});
    return file_->read(offset, into);
  }
  void prefetch(std::uint64_t offset, std::uint64_t size) const override {
    file_->prefetch(offset, size);
  }
  bool is_forward_only() const override { return file_->is_forward_only(); }
  std::string identity() const override { return file_->identity(); }

 private:
  std::shared_ptr<const ReadFile> file_;
  std::stop_token stop_;
  std::atomic<bool> heeds_stop_ = true;
};

}  // namespace kitbag
