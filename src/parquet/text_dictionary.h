#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kitbag::parquet {

/// The different texts of a column, each with a number.
class TextDictionary {
 public:
  /// Returns the number of `text`. Nothing: a dictionary does not pay, because there are too many
  /// different texts; what was numbered before remains.
  std::optional<std::uint32_t> number_of(std::string_view text) {
    ++asked_;
    if (!texts_.empty() && text == texts_[last_]) return last_;
    auto found = numbers_.find(text);
    if (found == numbers_.end()) {
      bool is_too_large = bytes_ + text.size() > kMostBytes;
      bool is_too_varied = texts_.size() >= kFewTexts && texts_.size() * 2 > asked_;
      if (is_too_large || is_too_varied) return std::nullopt;
      bytes_ += text.size() + kTextBytes;
      const std::string& kept = texts_.emplace_back(text);
      found = numbers_.emplace(kept, static_cast<std::uint32_t>(texts_.size() - 1)).first;
    }
    last_ = found->second;
    return last_;
  }

  const std::deque<std::string>& texts() const { return texts_; }
  /// About how much memory it takes.
  std::size_t bytes() const { return bytes_; }
  void clear() { *this = TextDictionary(); }

 private:
  static constexpr std::size_t kMostBytes = 1 << 20;
  static constexpr std::size_t kFewTexts = 1000;
  static constexpr std::size_t kTextBytes = 64;  ///< beside its letters

  std::deque<std::string> texts_;  ///< does not move them
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
  std::uint32_t last_ = 0;
  std::uint64_t asked_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace kitbag::parquet
