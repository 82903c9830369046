#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <utility>

#include "kitbag/file.h"

namespace kitbag {

/// A file that requests a stop whenever it is read, so that what is read is stopped behind it.
class StoppingFile final : public ReadFile {
 public:
  explicit StoppingFile(std::shared_ptr<const ReadFile> file) : file_(std::move(file)) {}

  std::uint64_t size() const override { return file_->size(); }
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override {
    stop.request_stop();
    return file_->read(offset, into);
  }

  mutable std::stop_source stop;

 private:
  std::shared_ptr<const ReadFile> file_;
};

}  // namespace kitbag
