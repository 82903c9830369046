#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "base/buffer.h"
#include "kitbag/file.h"

namespace kitbag::memory {

/// The bytes of a file. Readers of a file that is being written see it grow.
class Content {
 public:
  explicit Content(std::uint64_t number) : number_(number) {}

  std::uint64_t number() const { return number_; }
  std::uint64_t size() const {
    std::lock_guard lock(mutex_);
    return bytes_.size();
  }
  Time modified() const {
    std::lock_guard lock(mutex_);
    return modified_;
  }
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const {
    std::lock_guard lock(mutex_);
    if (offset >= bytes_.size()) return 0;
    ByteView rest = bytes_.view().subspan(static_cast<std::size_t>(offset));
    rest = rest.first(std::min(rest.size(), into.size()));
    std::copy(rest.begin(), rest.end(), into.begin());
    return rest.size();
  }
  void append(std::span<const ByteView> pieces) {
    std::lock_guard lock(mutex_);
    for (ByteView piece : pieces) bytes_.append(piece);
    touch();
  }
  void rewrite(std::uint64_t offset, ByteView bytes) {
    std::lock_guard lock(mutex_);
    std::copy(bytes.begin(), bytes.end(), bytes_.data() + offset);
    touch();
  }
  std::string identity() const {
    std::lock_guard lock(mutex_);
    return "memory:" + std::to_string(number_) + ":" + std::to_string(version_);
  }

 private:
  void touch() {
    modified_ = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
    ++version_;
  }

  const std::uint64_t number_;
  mutable std::mutex mutex_;
  Buffer bytes_;
  Time modified_{};
  std::uint64_t version_ = 0;
};

using ContentPtr = std::shared_ptr<Content>;

/// A file that is open for reading.
class OpenFile final : public ReadFile {
 public:
  explicit OpenFile(ContentPtr content) : content_(std::move(content)) {}

  std::uint64_t size() const override { return content_->size(); }
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override {
    return content_->read(offset, into);
  }
  std::string identity() const override { return content_->identity(); }

 private:
  ContentPtr content_;
};

}  // namespace kitbag::memory
