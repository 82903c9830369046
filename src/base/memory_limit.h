#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace kitbag {

/// What ReadOptions::max_memory_bytes allows. Without a number from the caller, what lies in the
/// file as it is may be large, because the file had to be as large; what is unpacked may only be
/// large where its packed form is.
class MemoryLimit {
 public:
  static constexpr std::uint64_t kPlainBytes = std::uint64_t{4} << 30;
  static constexpr std::uint64_t kUnpackedBytes = std::uint64_t{64} << 20;
  static constexpr std::uint64_t kUsualRatio = 16;

  explicit MemoryLimit(std::uint64_t max_memory_bytes = 0) : max_bytes_(max_memory_bytes) {}

  /// For bytes that are in the file as they are.
  std::uint64_t plain() const { return max_bytes_ > 0 ? max_bytes_ : kPlainBytes; }
  /// For what comes out of `packed_bytes` of compressed data.
  std::uint64_t unpacked(std::uint64_t packed_bytes) const {
    if (max_bytes_ > 0) return max_bytes_;
    std::uint64_t usual = std::min(packed_bytes, kPlainBytes / kUsualRatio) * kUsualRatio;
    return std::max(kUnpackedBytes, usual);
  }

  /// "WHAT of N bytes, more than the M that it may take in memory", for an Error (limit).
  static std::string exceeded(std::string_view what, std::uint64_t bytes, std::uint64_t most);

 private:
  std::uint64_t max_bytes_;
};

}  // namespace kitbag
