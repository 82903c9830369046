#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include "kitbag/arrow.h"

namespace kitbag::arrow {

/// A column of numbers, by the format of its ArrowSchema. The array must outlive it.
class Numbers {
 public:
  Numbers(std::string_view format, const ArrowArray& array) : format_(format), array_(array) {}

  /// Returns whether columns of that format are of numbers, times or durations.
  static bool can_read(std::string_view format) {
    bool is_number = format.size() == 1 && std::strchr("bcCsSiIlLfg", format[0]) != nullptr;
    return is_number || format.starts_with("ts") || format.starts_with("tD");
  }

  /// Returns the value of a row, of times in seconds; NaN: there is none.
  double at(std::int64_t row) const {
    std::int64_t index = array_.offset + row;
    if (array_.buffers[0] && !bit(array_.buffers[0], index))
      return std::numeric_limits<double>::quiet_NaN();
    switch (format_[0]) {
      case 'b':
        return bit(array_.buffers[1], index) ? 1 : 0;
      case 'c':
        return value<std::int8_t>(index);
      case 'C':
        return value<std::uint8_t>(index);
      case 's':
        return value<std::int16_t>(index);
      case 'S':
        return value<std::uint16_t>(index);
      case 'i':
        return value<std::int32_t>(index);
      case 'I':
        return value<std::uint32_t>(index);
      case 'l':
        return static_cast<double>(value<std::int64_t>(index));
      case 'L':
        return static_cast<double>(value<std::uint64_t>(index));
      case 'f':
        return static_cast<double>(value<float>(index));
      case 'g':
        return value<double>(index);
      default:  // a time or a duration, in nanoseconds
        return static_cast<double>(value<std::int64_t>(index)) / 1e9;
    }
  }

 private:
  static bool bit(const void* bits, std::int64_t index) {
    unsigned byte = static_cast<const unsigned char*>(bits)[index / 8];
    return (byte >> (index % 8) & 1U) != 0;
  }
  template <class T>
  T value(std::int64_t index) const {
    return static_cast<const T*>(array_.buffers[1])[index];
  }

  std::string_view format_;
  const ArrowArray& array_;
};

}  // namespace kitbag::arrow
