#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/buffer.h"
#include "kitbag/file.h"

namespace kitbag::mcap {

/// Computes the CRC of a file while it is read from its beginning to its end.
class SummedFile final : public ReadFile {
 public:
  explicit SummedFile(std::shared_ptr<const ReadFile> file) : file_(std::move(file)) {}

  std::uint64_t size() const override { return file_->size(); }
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override;
  bool is_forward_only() const override { return true; }

  /// As many bytes as there are, in memory that grows as they come.
  std::shared_ptr<Buffer> read_bytes(std::uint64_t offset, std::uint64_t size) const;
  /// Skips to `offset`, and adds what it skips to the CRC; stops at the end of the file.
  void pass_to(std::uint64_t offset) const;
  /// The CRC of everything before the bytes that the last read() gave.
  std::uint32_t crc_before() const { return crc_before_; }

 private:
  std::shared_ptr<const ReadFile> file_;
  mutable std::uint32_t crc_ = 0;
  mutable std::uint32_t crc_before_ = 0;
  mutable std::uint64_t end_ = 0;  ///< of what was read
};

}  // namespace kitbag::mcap
