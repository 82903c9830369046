#include "import/cell.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <variant>

#include "base/lines.h"
#include "kitbag/error.h"

// A cell is a view of one value: an array, its type and an index. Lengths and offsets of the array
// were checked before. Indexes into a dictionary are values, so they are checked here.
//
//     number       buffers[1], at place()
//     text, bytes  buffers[2], between the offsets in buffers[1] at place() and behind it
//     list         rows of the child, between such offsets
//     structure    row place() of each child
//
// place() adds the offset of the array itself. A child has one of its own, which it adds to what it
// is given.

namespace kitbag {

namespace {

using arrow::IpcLayout;
using arrow::IpcTypeNumber;

// Copied, as buffers of other libraries need not be aligned.
template <class T>
T value_at(const void* values, std::int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const T*>(values) + index, sizeof value);
  return value;
}

bool bit_of(const void* bits, std::int64_t index) {
  unsigned byte = static_cast<const std::uint8_t*>(bits)[index / 8];
  return (byte >> (index % 8) & 1U) != 0;
}

bool is_signed_integer(const arrow::IpcField& type) {
  return std::get<bool>(type.type.parameters.at(1));
}

std::int64_t signed_at(const void* values, std::int64_t width, std::int64_t index) {
  switch (width) {
    case 1:
      return value_at<std::int8_t>(values, index);
    case 2:
      return value_at<std::int16_t>(values, index);
    case 4:
      return value_at<std::int32_t>(values, index);
    default:
      return value_at<std::int64_t>(values, index);
  }
}

std::uint64_t unsigned_at(const void* values, std::int64_t width, std::int64_t index) {
  switch (width) {
    case 1:
      return value_at<std::uint8_t>(values, index);
    case 2:
      return value_at<std::uint16_t>(values, index);
    case 4:
      return value_at<std::uint32_t>(values, index);
    default:
      return value_at<std::uint64_t>(values, index);
  }
}

/// How many nanoseconds the units of Arrow have: seconds, milliseconds, ...
std::int64_t unit_ns(std::int16_t unit) {
  constexpr std::int64_t kNs[] = {1'000'000'000, 1'000'000, 1'000, 1};
  return unit < 0 || unit > 3 ? 1 : kNs[unit];
}

}  // namespace

Cell::Cell(const arrow::IpcField& type, const ArrowArray& array, std::int64_t index)
    : type_(&type), array_(&array), index_(index) {
  if (!type.dictionary || is_null()) return;
  const void* indexes = array.buffers[1];
  std::int64_t at = is_signed_integer(type)
                        ? signed_at(indexes, type.type.width, place())
                        : static_cast<std::int64_t>(unsigned_at(indexes, type.type.width, place()));
  if (!array.dictionary || at < 0 || at >= array.dictionary->length) {
    throw Error(ErrorCode::invalid,
                fmt::format("the column \"{}\" has an index that is too large", type.name));
  }
  type_ = type.dictionary.get();
  array_ = array.dictionary;
  index_ = at;
}

bool Cell::is_null() const {
  if (type_->type.number == IpcTypeNumber::null) return true;
  // A count of -1 is not known.
  return array_->null_count != 0 && array_->buffers[0] && !bit_of(array_->buffers[0], place());
}

bool Cell::is_boolean() const {
  return type_->type.number == IpcTypeNumber::boolean;
}
bool Cell::is_integer() const {
  return type_->type.number == IpcTypeNumber::integer;
}
// Not those of 16 bits, for which C++20 has no type.
bool Cell::is_real() const {
  return type_->type.number == IpcTypeNumber::floating_point && type_->type.width >= 4;
}
bool Cell::is_text() const {
  return type_->type.number == IpcTypeNumber::utf8 ||
         type_->type.number == IpcTypeNumber::large_utf8;
}
bool Cell::is_bytes() const {
  return type_->type.number == IpcTypeNumber::binary ||
         type_->type.number == IpcTypeNumber::large_binary ||
         type_->type.number == IpcTypeNumber::fixed_size_binary;
}
bool Cell::is_list() const {
  IpcLayout layout = type_->type.layout;
  return layout == IpcLayout::list || layout == IpcLayout::large_list ||
         layout == IpcLayout::fixed_list;
}
bool Cell::is_structure() const {
  return type_->type.layout == IpcLayout::structure;
}
bool Cell::is_temporal() const {
  switch (type_->type.number) {
    case IpcTypeNumber::date:
    case IpcTypeNumber::time:
    case IpcTypeNumber::timestamp:
    case IpcTypeNumber::duration:
      return true;
    default:
      return false;
  }
}
bool Cell::is_json() const {
  if (!is_text()) return false;
  for (const auto& [key, value] : type_->metadata) {
    if (key == "ARROW:extension:name") return value == "arrow.json";
  }
  return false;
}

bool Cell::boolean() const {
  return bit_of(array_->buffers[1], place());
}

CellInteger Cell::integer() const {
  if (is_signed_integer(*type_)) {
    return {signed_at(array_->buffers[1], type_->type.width, place()), false};
  }
  std::uint64_t value = unsigned_at(array_->buffers[1], type_->type.width, place());
  return {static_cast<std::int64_t>(value), value > INT64_MAX};
}

double Cell::real() const {
  if (type_->type.width == sizeof(float)) return value_at<float>(array_->buffers[1], place());
  return value_at<double>(array_->buffers[1], place());
}

Cell::Range Cell::range() const {
  std::int64_t width = type_->type.width;
  switch (type_->type.layout) {
    case IpcLayout::large_bytes:
    case IpcLayout::large_list:
      return {value_at<std::int64_t>(array_->buffers[1], place()),
              value_at<std::int64_t>(array_->buffers[1], place() + 1)};
    case IpcLayout::fixed:
    case IpcLayout::fixed_list:
      return {place() * width, (place() + 1) * width};
    default:
      return {value_at<std::int32_t>(array_->buffers[1], place()),
              value_at<std::int32_t>(array_->buffers[1], place() + 1)};
  }
}

ByteView Cell::bytes() const {
  auto [begin, end] = range();
  if (begin >= end) return {};
  bool is_fixed = type_->type.layout == IpcLayout::fixed;
  const auto* data = static_cast<const std::byte*>(array_->buffers[is_fixed ? 1 : 2]);
  return {data + begin, static_cast<std::size_t>(end - begin)};
}

std::int64_t Cell::nanoseconds() const {
  constexpr std::int64_t kNsPerDay = 86'400'000'000'000;
  auto unit = std::get<std::int16_t>(type_->type.parameters.at(0));
  // Dates are counted in days or, with the unit 1, in milliseconds.
  std::int64_t scale = type_->type.number != IpcTypeNumber::date ? unit_ns(unit)
                       : unit == 0                               ? kNsPerDay
                                                                 : unit_ns(1);
  std::int64_t value = signed_at(array_->buffers[1], type_->type.width, place());
  std::int64_t ns = 0;
  if (!__builtin_mul_overflow(value, scale, &ns)) return ns;
  throw Error(ErrorCode::invalid, "the time is out of range");
}

std::int64_t Cell::list_size() const {
  auto [begin, end] = range();
  return end - begin;
}

Cell Cell::element(std::int64_t index) const {
  return {type_->children.front(), *array_->children[0], range().begin + index};
}

Cell Cell::child(std::size_t index) const {
  return {type_->children[index], *array_->children[index], place()};
}

std::optional<ByteView> Cell::packed_elements(std::int64_t width) const {
  const ArrowArray& values = *array_->children[0];
  auto [begin, end] = range();
  bool may_have_nulls = values.null_count != 0 && values.buffers[0];
  for (std::int64_t i = begin; may_have_nulls && i < end; ++i) {
    if (!bit_of(values.buffers[0], values.offset + i)) return std::nullopt;
  }
  if (begin == end) return ByteView{};
  const auto* data = static_cast<const std::byte*>(values.buffers[1]);
  return ByteView(data + (values.offset + begin) * width,
                  static_cast<std::size_t>((end - begin) * width));
}

std::string Cell::describe() const {
  constexpr std::size_t kMostText = 64;
  if (is_null()) return "a missing value";
  if (is_boolean()) return boolean() ? "true" : "false";
  if (is_integer()) {
    CellInteger number = integer();
    return number.is_large ? std::to_string(static_cast<std::uint64_t>(number.value))
                           : std::to_string(number.value);
  }
  if (is_real()) return fmt::format("{}", real());
  if (is_text()) return fmt::format("the text \"{}\"", printable(text().substr(0, kMostText)));
  return column_type_name(*type_);
}

std::string column_type_name(const arrow::IpcField& type) {
  if (type.dictionary) return column_type_name(*type.dictionary);
  switch (type.type.number) {
    case IpcTypeNumber::null:
      return "nothing";
    case IpcTypeNumber::integer:
      return fmt::format("{}int{}", is_signed_integer(type) ? "" : "u", type.type.width * 8);
    case IpcTypeNumber::floating_point:
      return fmt::format("float{}", type.type.width * 8);
    case IpcTypeNumber::binary:
    case IpcTypeNumber::large_binary:
    case IpcTypeNumber::fixed_size_binary:
      return "bytes";
    case IpcTypeNumber::utf8:
    case IpcTypeNumber::large_utf8:
      return "text";
    case IpcTypeNumber::boolean:
      return "boolean";
    case IpcTypeNumber::decimal:
      return "decimal";
    case IpcTypeNumber::date:
    case IpcTypeNumber::time:
    case IpcTypeNumber::timestamp:
      return "a time";
    case IpcTypeNumber::interval:
    case IpcTypeNumber::duration:
      return "a duration";
    case IpcTypeNumber::structure:
      return "a structure";
    default:
      return "a list";
  }
}

}  // namespace kitbag
