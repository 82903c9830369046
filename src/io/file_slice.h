#pragma once

#include <cstdint>
#include <memory>

#include "kitbag/file.h"

namespace kitbag {

/// `size` bytes of `file` from `offset` on, as a file of their own; fewer where the file ends.
class FileSlice final : public ReadFile {
 public:
  FileSlice(std::shared_ptr<const ReadFile> file, std::uint64_t offset, std::uint64_t size)
      : file_(std::move(file)), offset_(offset), size_(size) {}

  std::uint64_t size() const override { return size_; }
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override;
  void prefetch(std::uint64_t offset, std::uint64_t size) const override;

 private:
  std::shared_ptr<const ReadFile> file_;
  std::uint64_t offset_;
  std::uint64_t size_;
};

}  // namespace kitbag
