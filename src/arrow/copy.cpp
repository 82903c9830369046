#include "arrow/copy.h"

#include <cstring>
#include <string_view>

// For arrays that Column::move_to() has made, and for no others: they begin at offset 0, have the
// buffers of the ColumnType that is passed with them, and are not checked. Arrays that come from
// outside are checked in ipc_body.cpp.
//
// A value is copied with all that is in it. Numbers of a list go in one piece if none of them is
// null.

namespace kitbag::arrow {

namespace {

/// What an array takes besides its values.
constexpr std::size_t kArrayBytes = 512;

template <class T>
T load(const void* buffer, std::int64_t index) {
  T value;
  std::memcpy(
      &value,
      static_cast<const std::byte*>(buffer) + static_cast<std::size_t>(index) * sizeof value,
      sizeof value);
  return value;
}

bool bit_at(const void* bits, std::int64_t index) {
  auto byte = load<std::uint8_t>(bits, index / 8);
  return (byte >> (index % 8) & 1) != 0;
}

ByteView bytes_at(const ArrowArray& from, std::int64_t index) {
  auto begin = load<std::int32_t>(from.buffers[1], index);
  auto end = load<std::int32_t>(from.buffers[1], index + 1);
  return {static_cast<const std::byte*>(from.buffers[2]) + begin,
          static_cast<std::size_t>(end - begin)};
}

/// `count` values of `width` bytes.
ByteView values_at(const ArrowArray& from, std::int64_t index, std::int64_t count,
                   std::size_t width) {
  return {static_cast<const std::byte*>(from.buffers[1]) + static_cast<std::size_t>(index) * width,
          static_cast<std::size_t>(count) * width};
}

void copy_elements(Column& to, const ArrowArray& from, std::int64_t begin, std::int64_t count) {
  if (to.layout() == Layout::fixed && from.null_count == 0) {
    return to.add_packed(values_at(from, begin, count, to.type().width));
  }
  for (std::int64_t i = begin; i < begin + count; ++i) copy_value(to, from, i);
}

template <class T>
double real_at(const ArrowArray& array, std::int64_t index) {
  return static_cast<double>(load<T>(array.buffers[1], index));
}

}  // namespace

bool is_null(const ArrowArray& array, std::int64_t index) {
  return array.null_count != 0 && !bit_at(array.buffers[0], index);
}

void copy_value(Column& to, const ArrowArray& from, std::int64_t index) {
  if (is_null(from, index)) return to.add_null();
  const std::size_t width = to.type().width;
  switch (to.layout()) {
    case Layout::bits:
      return to.add_bit(bit_at(from.buffers[1], index));
    case Layout::fixed:
    case Layout::dictionary:
      return to.add_packed(values_at(from, index, 1, width));
    case Layout::fixed_binary:
      return to.add_bytes(values_at(from, index, 1, width));
    case Layout::text:
    case Layout::json:
      return to.add_text(as_text(bytes_at(from, index)));
    case Layout::binary:
      return to.add_bytes(bytes_at(from, index));
    case Layout::list: {
      auto begin = load<std::int32_t>(from.buffers[1], index);
      auto end = load<std::int32_t>(from.buffers[1], index + 1);
      to.begin_list(static_cast<std::size_t>(end - begin));
      return copy_elements(to.element(), *from.children[0], begin, end - begin);
    }
    case Layout::fixed_list: {
      auto count = static_cast<std::int64_t>(width);
      to.add_parent();
      return copy_elements(to.element(), *from.children[0], index * count, count);
    }
    case Layout::structure:
      to.add_parent();
      for (std::size_t i = 0; i < to.children().size(); ++i) {
        copy_value(to.children()[i], *from.children[i], index);
      }
  }
}

std::int64_t integer_at(const ArrowArray& array, std::int64_t index) {
  return load<std::int64_t>(array.buffers[1], index);
}

double number_at(const ColumnType& type, const ArrowArray& array, std::int64_t index) {
  bool is_unsigned = type.number == Number::unsigned_integer;
  switch (type.width) {
    case 1:
      return is_unsigned ? real_at<std::uint8_t>(array, index) : real_at<std::int8_t>(array, index);
    case 2:
      return is_unsigned ? real_at<std::uint16_t>(array, index)
                         : real_at<std::int16_t>(array, index);
    case 4:
      if (type.number == Number::real) return real_at<float>(array, index);
      return is_unsigned ? real_at<std::uint32_t>(array, index)
                         : real_at<std::int32_t>(array, index);
    default:
      if (type.number == Number::real) return real_at<double>(array, index);
      return is_unsigned ? real_at<std::uint64_t>(array, index)
                         : real_at<std::int64_t>(array, index);
  }
}

// By what is used, not by the capacity of blocks, which an array does not tell.
std::size_t bytes_of(const ColumnType& type, const ArrowArray& array) {
  auto length = static_cast<std::size_t>(array.length);
  std::size_t bytes = kArrayBytes + length / 8;
  if (has_offsets(type.layout)) bytes += length * sizeof(std::int32_t);
  if (has_offsets(type.layout) && has_values(type.layout)) {
    bytes += static_cast<std::size_t>(load<std::int32_t>(array.buffers[1], array.length));
  } else if (has_values(type.layout)) {
    bytes += length * type.width;
  }
  for (std::size_t i = 0; i < type.children.size(); ++i) {
    bytes += bytes_of(type.children[i], *array.children[i]);
  }
  return bytes;
}

}  // namespace kitbag::arrow
