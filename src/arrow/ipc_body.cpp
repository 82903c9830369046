#include "arrow/ipc_body.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "kitbag/error.h"

// Arrays come from anybody who speaks the C data interface. It gives addresses without sizes, so
// these have to be believed; what can be checked is: the number of buffers and children, lengths,
// and where offsets begin and end. A wrong array is an error then, and not a file that other
// programs cannot read.
//
// An array may be a slice of a longer one. Buffers of whole bytes are views of the slice. What the
// format wants otherwise is made anew: bits that do not begin at a byte are shifted, and offsets
// that do not begin at 0 are moved there, so that of texts only those of the slice are written. A
// bitmap without a null is left out, as the format allows.
//
// The fingerprint of a dictionary is its content and not a hash: a hash that collides would leave
// out a dictionary, and dictionaries are small.

namespace kitbag::arrow {

namespace {

[[noreturn]] void fail(const IpcField& field, const std::string& what) {
  throw Error(ErrorCode::invalid, fmt::format("the column \"{}\" {}", field.name, what));
}

std::int64_t buffers_of(IpcLayout layout) {
  switch (layout) {
    case IpcLayout::none:
      return 0;
    case IpcLayout::fixed_list:
    case IpcLayout::structure:
      return 1;
    case IpcLayout::bits:
    case IpcLayout::fixed:
    case IpcLayout::list:
    case IpcLayout::large_list:
      return 2;
    case IpcLayout::bytes:
    case IpcLayout::large_bytes:
      return 3;
  }
  return 0;
}

/// The array has the shape of `field`, and at least the values from `begin` on.
void require_fit(const IpcField& field, const ArrowArray& array, std::int64_t begin,
                 std::int64_t length) {
  // Far beyond what a memory holds; with this, sums and products of lengths stay in range.
  constexpr std::int64_t kMost = std::int64_t{1} << 56;
  if (array.n_buffers != buffers_of(field.type.layout)) {
    fail(field, fmt::format("has {} buffers", array.n_buffers));
  }
  if (array.n_children != static_cast<std::int64_t>(field.children.size())) {
    fail(field, fmt::format("has {} children", array.n_children));
  }
  bool is_valid = array.offset >= 0 && array.offset < kMost && array.length >= 0 &&
                  array.length < kMost && begin >= 0 && length >= 0 && begin <= array.length &&
                  length <= array.length - begin;
  if (!is_valid) {
    fail(field, fmt::format("has {} values from {} on, too few", array.length, array.offset));
  }
}

ByteView view(const IpcField& field, const void* from, std::int64_t begin, std::int64_t bytes) {
  if (bytes == 0) return {};
  if (!from) fail(field, "has a buffer without an address");
  return {static_cast<const std::byte*>(from) + begin, static_cast<std::size_t>(bytes)};
}

std::int64_t ones(ByteView bits, std::int64_t count) {
  std::int64_t all = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    auto byte = std::to_integer<unsigned>(bits[i]);
    std::int64_t left = count - static_cast<std::int64_t>(i) * 8;
    if (left < 8) byte &= (1U << left) - 1U;
    all += std::popcount(byte);
  }
  return all;
}

template <class Offset>
Offset offset_at(const void* offsets, std::int64_t index) {
  Offset value = 0;
  std::memcpy(
      &value,
      static_cast<const std::byte*>(offsets) + index * static_cast<std::int64_t>(sizeof value),
      sizeof value);
  return value;
}

/// `size` elements of `width` bytes each.
std::int64_t product(const IpcField& field, std::int64_t size, std::int64_t width) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(size, width, &bytes)) fail(field, "has too many values");
  return bytes;
}

}  // namespace

void IpcBody::add_buffer(ByteView content) {
  auto size = static_cast<std::int64_t>(content.size());
  buffers_.push_back({bytes_, size});
  contents_.push_back(content);
  bytes_ += (size + kAlignment - 1) / kAlignment * kAlignment;
}

ByteView IpcBody::bits(const void* from, std::int64_t first, std::int64_t count) {
  if (count == 0) return {};
  const auto* bytes = static_cast<const std::byte*>(from) + first / 8;
  auto size = static_cast<std::size_t>((count + 7) / 8);
  auto shift = static_cast<unsigned>(first % 8);
  if (shift == 0) return {bytes, size};
  std::vector<std::byte>& moved = made_.emplace_back(size);
  auto last = static_cast<std::size_t>((static_cast<std::int64_t>(shift) + count - 1) / 8);
  for (std::size_t i = 0; i < size; ++i) {
    moved[i] = bytes[i] >> shift;
    if (i < last) moved[i] |= bytes[i + 1] << (8 - shift);
  }
  return moved;
}

void IpcBody::add_validity(const ArrowArray& array, std::int64_t first, std::int64_t length) {
  std::int64_t nulls = 0;
  ByteView validity;
  if (array.null_count != 0 && array.buffers[0]) {
    validity = bits(array.buffers[0], first, length);
    nulls = length - ones(validity, length);
    if (nulls == 0) validity = {};
  }
  nodes_.push_back({length, nulls});
  add_buffer(validity);
}

/// Adds the offsets, from 0 on. Returns the first and the last one of the array.
template <class Offset>
std::pair<Offset, Offset> IpcBody::add_offsets(const IpcField& field, const ArrowArray& array,
                                               std::int64_t first, std::int64_t length) {
  constexpr auto kWidth = static_cast<std::int64_t>(sizeof(Offset));
  const void* offsets = array.buffers[1];
  // The format wants one offset more than there are values, so one for none.
  if (length == 0) {  // the array may have no offset at all
    add_buffer(made_.emplace_back(sizeof(Offset)));
    return {0, 0};
  }
  ByteView content = view(field, offsets, first * kWidth, (length + 1) * kWidth);
  const auto front = offset_at<Offset>(offsets, first);
  const auto back = offset_at<Offset>(offsets, first + length);
  if (front < 0 || back < front) fail(field, "has offsets that are out of order");
  if (front != 0) {
    std::vector<std::byte>& moved = made_.emplace_back(content.size());
    for (std::int64_t i = 0; i <= length; ++i) {
      auto offset = static_cast<Offset>(offset_at<Offset>(offsets, first + i) - front);
      std::memcpy(moved.data() + i * kWidth, &offset, sizeof offset);
    }
    content = moved;
  }
  add_buffer(content);
  return {front, back};
}

template <class Offset>
void IpcBody::add_bytes(const IpcField& field, const ArrowArray& array, std::int64_t first,
                        std::int64_t length) {
  auto [front, back] = add_offsets<Offset>(field, array, first, length);
  add_buffer(view(field, array.buffers[2], front, back - front));
}

template <class Offset>
void IpcBody::add_list(const IpcField& field, const ArrowArray& array, std::int64_t first,
                       std::int64_t length) {
  auto [front, back] = add_offsets<Offset>(field, array, first, length);
  add(field.children[0], *array.children[0], front, back - front);
}

void IpcBody::add(const IpcField& field, const ArrowArray& array, std::int64_t begin,
                  std::int64_t length) {
  require_fit(field, array, begin, length);
  const std::int64_t first = array.offset + begin;
  const std::int64_t width = field.type.width;
  if (field.type.layout == IpcLayout::none) {
    nodes_.push_back({length, length});
    return;
  }
  add_validity(array, first, length);
  switch (field.type.layout) {
    case IpcLayout::none:
      break;
    case IpcLayout::bits:
      if (length > 0 && !array.buffers[1]) fail(field, "has a buffer without an address");
      add_buffer(bits(array.buffers[1], first, length));
      break;
    case IpcLayout::fixed:
      add_buffer(view(field, array.buffers[1], product(field, first, width),
                      product(field, length, width)));
      break;
    case IpcLayout::bytes:
      add_bytes<std::int32_t>(field, array, first, length);
      break;
    case IpcLayout::large_bytes:
      add_bytes<std::int64_t>(field, array, first, length);
      break;
    case IpcLayout::list:
      add_list<std::int32_t>(field, array, first, length);
      break;
    case IpcLayout::large_list:
      add_list<std::int64_t>(field, array, first, length);
      break;
    case IpcLayout::fixed_list:
      add(field.children[0], *array.children[0], product(field, first, width),
          product(field, length, width));
      break;
    case IpcLayout::structure:
      for (std::size_t i = 0; i < field.children.size(); ++i) {
        add(field.children[i], *array.children[i], first, length);
      }
      break;
  }
}

void IpcBody::add_columns(const IpcField& root, const ArrowArray& batch) {
  require_fit(root, batch, 0, batch.length);
  if (batch.null_count != 0 && batch.buffers[0]) {
    ByteView validity = bits(batch.buffers[0], batch.offset, batch.length);
    if (ones(validity, batch.length) < batch.length) {
      throw Error(ErrorCode::invalid, "a row of an Arrow table must not be null");
    }
  }
  for (std::size_t i = 0; i < root.children.size(); ++i) {
    add(root.children[i], *batch.children[i], batch.offset, batch.length);
  }
}

std::string IpcBody::fingerprint() const {
  std::string all;
  auto add_number = [&](std::int64_t number) {
    all.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  for (const Node& node : nodes_) {
    add_number(node.length);
    add_number(node.null_count);
  }
  for (ByteView content : contents_) {
    add_number(static_cast<std::int64_t>(content.size()));
    all += as_text(content);
  }
  return all;
}

}  // namespace kitbag::arrow
