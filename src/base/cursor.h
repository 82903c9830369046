#pragma once

#include <optional>

#include "base/little_endian.h"
#include "kitbag/bytes.h"

namespace kitbag {

/// Reads through bytes from outside; nothing is read that is not there. A read that does not fit
/// gives nullopt and leaves the position.
class Cursor {
 public:
  explicit Cursor(ByteView bytes) : bytes_(bytes) {}

  std::size_t position() const { return position_; }
  std::size_t left() const { return bytes_.size() - position_; }
  bool at_end() const { return left() == 0; }

  template <std::integral T>
  std::optional<T> number() {
    if (left() < sizeof(T)) return std::nullopt;
    T value = load_le<T>(bytes_.data() + position_);
    position_ += sizeof(T);
    return value;
  }

  std::optional<ByteView> bytes(std::size_t count) {
    if (left() < count) return std::nullopt;
    ByteView view = bytes_.subspan(position_, count);
    position_ += count;
    return view;
  }

  /// Bytes preceded by a u32 with their number.
  std::optional<ByteView> sized_bytes() {
    std::size_t before = position_;
    auto size = number<std::uint32_t>();
    if (!size) return std::nullopt;
    auto view = bytes(*size);
    if (!view) position_ = before;
    return view;
  }

 private:
  ByteView bytes_;
  std::size_t position_ = 0;
};

}  // namespace kitbag
