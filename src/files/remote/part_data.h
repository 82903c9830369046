#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/file.h"

namespace kitbag::remote {

/// The memory of one upload. Any thread.
struct PartMemory {
  std::uint64_t most_bytes = std::uint64_t{64} << 20;
  std::atomic<std::uint64_t> used_bytes = 0;
};

/// The bytes of a part: in memory, or, where that would be too much, in a file without a name in
/// $TMPDIR. It is written by one thread, and then read by others.
class PartData final : public ReadFile {
 public:
  /// Of up to `most_bytes`. Throws Error (io) if there can be no file.
  PartData(std::shared_ptr<PartMemory> memory, std::uint64_t most_bytes);
  ~PartData() override;
  PartData(const PartData&) = delete;
  PartData& operator=(const PartData&) = delete;

  std::uint64_t size() const override { return size_; }
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override;
  std::uint64_t room_bytes() const { return most_bytes_ - size_; }

  /// Throws Error (io).
  void append(ByteView bytes);
  /// Overwrites bytes that were appended. Throws Error (io).
  void rewrite(std::uint64_t offset, ByteView bytes);

 private:
  void write(std::uint64_t offset, ByteView bytes);

  std::shared_ptr<PartMemory> memory_;
  std::uint64_t most_bytes_;
  std::uint64_t size_ = 0;
  std::vector<std::byte> bytes_;
  int file_ = -1;
  std::string folder_;  ///< of the file, for messages
};

}  // namespace kitbag::remote
