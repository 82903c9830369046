#include "arrow/column.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>

#include "base/utf8.h"
#include "kitbag/error.h"

// A batch is filled row by row, and a row may fail in its middle. So each column can be cut back to
// a length at any time, and nothing is kept that cannot be found again from the buffers: where a
// list ends stands in its last offset, and children are cut back to that.
//
// Most columns never have a null. Their bitmap begins with the first null and reaches to the last
// one; what is behind it is valid. A value that is not null costs nothing for that, and a column
// without nulls hands over no bitmap at all.
//
// Structures and fixed-size lists have as many values in their children as they have themselves,
// also below a null. These values are zeros that are not null: no consumer looks at them, and a
// bitmap in each child would say the same as that of the parent.
//
// For example a column of the texts "ab", null and "cde":
//
//     values      abcde
//     offsets     0  2  2  5
//     validity    1  0             the third one is behind the last null

namespace kitbag::arrow {

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

constexpr std::size_t bytes_of_bits(std::size_t bits) {
  return (bits + 7) / 8;
}

/// Bit number `size` of `bits`, which has that many.
void append_bit(Memory& bits, std::size_t size, bool value) {
  if (size % 8 == 0) *bits.extend(1) = std::byte{0};
  std::byte& byte = bits.data()[size / 8];
  auto mask = static_cast<std::byte>(1U << (size % 8));
  byte = value ? byte | mask : byte & ~mask;
}

bool bit_at(const Memory& bits, std::size_t index) {
  return (std::to_integer<unsigned>(bits.data()[index / 8]) >> (index % 8) & 1U) != 0;
}

/// Adds `value` to a column of that number type if it has it. Reals are rounded, as assigning an
/// integer to a double does.
template <class T, class Value>
bool add_as(Column& column, Value value) {
  if constexpr (std::floating_point<T>) {
    column.add(static_cast<T>(value));
    return true;
  } else if constexpr (std::floating_point<Value>) {
    return false;
  } else {
    if (!std::in_range<T>(value)) return false;
    column.add(static_cast<T>(value));
    return true;
  }
}

template <class Value>
bool add_number(Column& column, Value value) {
  const ColumnType& type = column.type();
  bool is_unsigned = type.number == Number::unsigned_integer;
  switch (type.width) {
    case 1:
      return is_unsigned ? add_as<std::uint8_t>(column, value) : add_as<std::int8_t>(column, value);
    case 2:
      return is_unsigned ? add_as<std::uint16_t>(column, value)
                         : add_as<std::int16_t>(column, value);
    case 4:
      if (type.number == Number::real) return add_as<float>(column, value);
      return is_unsigned ? add_as<std::uint32_t>(column, value)
                         : add_as<std::int32_t>(column, value);
    default:
      if (type.number == Number::real) return add_as<double>(column, value);
      return is_unsigned ? add_as<std::uint64_t>(column, value)
                         : add_as<std::int64_t>(column, value);
  }
}

}  // namespace

Column::Column(const ColumnType& type, const std::shared_ptr<MemoryPool>& pool,
               std::uint64_t& replaced_bytes)
    : type_(type),
      pool_(pool),
      replaced_bytes_(replaced_bytes),
      values_(pool),
      offsets_(pool),
      validity_(pool) {
  begin_offsets();
  children_.reserve(type.children.size());
  for (const ColumnType& child : type.children) {
    children_.emplace_back(child, pool, replaced_bytes);
  }
}

bool Column::add_integer(std::int64_t value) {
  return add_number(*this, value);
}

bool Column::add_unsigned(std::uint64_t value) {
  return add_number(*this, value);
}

bool Column::add_real(double value) {
  return add_number(*this, value);
}

void Column::add_bit(bool value) {
  append_bit(values_, length_, value);
  ++length_;
}

void Column::require_offset(std::size_t end) const {
  if (end <= kMostOffset) return;
  throw Error(ErrorCode::limit,
              fmt::format("the values of column {} take more than 2 GiB; read fewer rows at once",
                          type_.name));
}

void Column::add_offset(std::size_t end) {
  require_offset(end);
  auto offset = static_cast<std::int32_t>(end);
  store_le(offsets_.extend(sizeof offset), offset);
  ++length_;
}

std::size_t Column::last_offset() const {
  const std::byte* end = offsets_.data() + offsets_.size();
  return static_cast<std::size_t>(load_le<std::int32_t>(end - sizeof(std::int32_t)));
}

void Column::add_text(std::string_view value) {
  if (value.size() > kMostOffset - values_.size()) add_offset(kMostOffset + 1);
  if (is_utf8(value)) {
    values_.append(as_bytes(value));
    return add_offset(values_.size());
  }
  while (!value.empty()) {
    std::size_t length = decode_utf8(value).length;
    values_.append(as_bytes(length > 0 ? value.substr(0, length) : kReplacement));
    if (length == 0) ++replaced_bytes_;
    value.remove_prefix(std::max<std::size_t>(length, 1));
  }
  add_offset(values_.size());
}

void Column::add_bytes(ByteView value) {
  if (type_.layout == Layout::fixed_binary) {
    values_.append(value);
    ++length_;
    return;
  }
  if (value.size() > kMostOffset - values_.size()) add_offset(kMostOffset + 1);
  values_.append(value);
  add_offset(values_.size());
}

void Column::begin_list(std::size_t count) {
  if (count > kMostOffset) add_offset(kMostOffset + 1);
  add_offset(last_offset() + count);
}

void Column::extend_list(std::size_t count) {
  std::size_t end = last_offset() + std::min(count, kMostOffset + 1);
  require_offset(end);
  store_le(offsets_.data() + offsets_.size() - sizeof(std::int32_t),
           static_cast<std::int32_t>(end));
}

void Column::add_packed(ByteView values) {
  if (type_.layout == Layout::bits) {
    for (std::byte value : values) add_bit(value != std::byte{0});
    return;
  }
  values_.append(values);
  length_ += values.size() / type_.width;
}

void Column::begin_offsets() {
  if (has_offsets(type_.layout)) store_le(offsets_.extend(sizeof(std::int32_t)), std::int32_t{0});
}

void Column::pad_validity() {
  while (validity_bits_ < length_) append_bit(validity_, validity_bits_++, true);
}

void Column::fill(std::size_t count) {
  switch (type_.layout) {
    case Layout::bits:
      for (std::size_t i = 0; i < count; ++i) add_bit(false);
      return;
    case Layout::fixed:
    case Layout::fixed_binary:
    case Layout::dictionary:
      if (count * type_.width > 0) {
        std::memset(values_.extend(count * type_.width), 0, count * type_.width);
      }
      length_ += count;
      return;
    case Layout::fixed_list:
      length_ += count;
      return element().fill(count * type_.width);
    case Layout::structure:
      length_ += count;
      for (Column& child : children_) child.fill(count);
      return;
    default:
      // Empty texts and lists.
      for (std::size_t i = 0; i < count; ++i) add_offset(last_offset());
  }
}

void Column::add_null() {
  pad_validity();
  append_bit(validity_, validity_bits_++, false);
  ++null_count_;
  fill(1);
}

void Column::truncate(std::size_t length) {
  if (length >= length_) return;
  for (; validity_bits_ > length; --validity_bits_) {
    if (!bit_at(validity_, validity_bits_ - 1)) --null_count_;
  }
  validity_.shrink(bytes_of_bits(validity_bits_));
  length_ = length;
  switch (type_.layout) {
    case Layout::bits:
      return values_.shrink(bytes_of_bits(length));
    case Layout::fixed:
    case Layout::fixed_binary:
    case Layout::dictionary:
      return values_.shrink(length * type_.width);
    case Layout::fixed_list:
      return element().truncate(length * type_.width);
    case Layout::structure:
      for (Column& child : children_) child.truncate(length);
      return;
    default:
      offsets_.shrink((length + 1) * sizeof(std::int32_t));
      if (type_.layout == Layout::list) return element().truncate(last_offset());
      values_.shrink(last_offset());
  }
}

bool Column::has_nulls() const {
  return null_count_ > 0 || std::any_of(children_.begin(), children_.end(),
                                        [](const Column& child) { return child.has_nulls(); });
}

std::size_t Column::bytes() const {
  std::size_t all = values_.size() + offsets_.size() + validity_.size();
  for (const Column& child : children_) all += child.bytes();
  return all;
}

}  // namespace kitbag::arrow
