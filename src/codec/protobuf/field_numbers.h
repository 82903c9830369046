#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace kitbag::protobuf {

/// Finds the fields of a message by their numbers.
class FieldNumbers {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// The field of that number is the one at `index` in a list of the caller; later ones win.
  void set(std::uint32_t number, std::uint32_t index) {
    if (number >= kMostDirect) {
      large_[number] = index;
      return;
    }
    if (direct_.size() <= number) direct_.resize(number + 1, kNone);
    direct_[number] = index;
  }

  /// Returns the index, or kNone.
  std::uint32_t find(std::uint32_t number) const {
    if (number < direct_.size()) return direct_[number];
    if (large_.empty()) return kNone;
    auto found = large_.find(number);
    return found == large_.end() ? kNone : found->second;
  }

 private:
  /// Numbers up to here are found in a table.
  static constexpr std::uint32_t kMostDirect = 1 << 12;

  std::vector<std::uint32_t> direct_;
  std::map<std::uint32_t, std::uint32_t> large_;
};

}  // namespace kitbag::protobuf
