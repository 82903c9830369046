#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/error.h"

// The few messages that kitbag itself exchanges with ROS 2, in XCDR1, little endian.

namespace kitbag::ros2 {

class WireWriter {
 public:
  template <std::integral T>
  void number(T value) {
    while ((bytes_.size() - kHeader.size()) % sizeof(T) != 0) bytes_.push_back(std::byte{0});
    raw({reinterpret_cast<const std::byte*>(&value), sizeof(T)});
  }
  void flag(bool value) { number<std::uint8_t>(value ? 1 : 0); }
  void real(double value) { number(std::bit_cast<std::uint64_t>(value)); }
  void count(std::size_t count) { number(static_cast<std::uint32_t>(count)); }
  void text(std::string_view text) {
    count(text.size() + 1);
    raw({reinterpret_cast<const std::byte*>(text.data()), text.size()});
    bytes_.push_back(std::byte{0});
  }
  void raw(ByteView bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

  /// With the encapsulation header. Nothing may be written after it.
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  inline static const std::vector<std::byte> kHeader{std::byte{0}, std::byte{1}, std::byte{0},
                                                     std::byte{0}};
  std::vector<std::byte> bytes_ = kHeader;
};

/// Throws Error (truncated) where the payload ends too soon, unsupported for another encapsulation.
class WireReader {
 public:
  explicit WireReader(ByteView payload) : bytes_(payload) {
    constexpr std::byte kLittleEndian{1};
    if (bytes_.size() < kHeaderBytes) fail();
    if (bytes_[0] != std::byte{0} || bytes_[1] != kLittleEndian) {
      throw Error(ErrorCode::unsupported, "malformed ROS 2 message: expected plain CDR");
    }
    bytes_ = bytes_.subspan(kHeaderBytes);
  }

  template <std::integral T>
  T number() {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value = 0;
    ByteView source = raw(sizeof(T));
    std::memcpy(&value, source.data(), sizeof(T));
    return value;
  }
  bool flag() { return number<std::uint8_t>() != 0; }
  double real() { return std::bit_cast<double>(number<std::uint64_t>()); }
  /// Of things that take `least_bytes` each.
  std::size_t count(std::size_t least_bytes) {
    std::size_t count = number<std::uint32_t>();
    if (count > left() / least_bytes) fail();
    return count;
  }
  std::string text() {
    std::size_t size = count(1);
    ByteView source = raw(size);
    std::string text(reinterpret_cast<const char*>(source.data()), size);
    while (text.ends_with('\0')) text.pop_back();
    return text;
  }
  ByteView raw(std::size_t size) {
    if (size > left()) fail();
    ByteView part = bytes_.subspan(at_, size);
    at_ += size;
    return part;
  }
  std::size_t left() const { return at_ < bytes_.size() ? bytes_.size() - at_ : 0; }

 private:
  static constexpr std::size_t kHeaderBytes = 4;

  [[noreturn]] static void fail() {
    throw Error(ErrorCode::truncated, "malformed ROS 2 message: it is too short");
  }

  ByteView bytes_;
  std::size_t at_ = 0;
};

}  // namespace kitbag::ros2
