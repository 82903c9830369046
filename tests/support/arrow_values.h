#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "kitbag/arrow.h"
#include "kitbag/codec.h"

/// Reads what the Arrow C data interface hands over, by nothing but its specification.
namespace kitbag::test {

/// Releases what it holds.
template <class Held>
class Released {
 public:
  Released() = default;
  Released(Released&& other) noexcept : held_(std::exchange(other.held_, {})) {}
  Released& operator=(Released&& other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~Released() {
    if (held_.release) held_.release(&held_);
  }
  Held* operator&() { return &held_; }  // NOLINT(google-runtime-operator): as C functions want it
  Held* operator->() { return &held_; }
  const Held& operator*() const { return held_; }

 private:
  Held held_{};
};

inline bool bit_at(const void* bits, std::int64_t index) {
  auto byte = static_cast<const unsigned char*>(bits)[index / 8];
  return (byte >> (index % 8) & 1) != 0;
}

inline bool is_null(const ArrowArray& array, std::int64_t index) {
  return array.null_count != 0 && array.buffers[0] &&
         !bit_at(array.buffers[0], array.offset + index);
}

template <class T>
T element(const ArrowArray& array, std::size_t buffer, std::int64_t index) {
  T value;
  std::memcpy(&value,
              static_cast<const char*>(array.buffers[buffer]) +
                  static_cast<std::size_t>(array.offset + index) * sizeof(T),
              sizeof(T));
  return value;
}

/// A value of format "u" or "z".
inline std::string_view bytes_at(const ArrowArray& array, std::int64_t index) {
  auto begin = element<std::int32_t>(array, 1, index);
  auto end = element<std::int32_t>(array, 1, index + 1);
  return {static_cast<const char*>(array.buffers[2]) + begin,
          static_cast<std::size_t>(end - begin)};
}

/// The child of a struct with that name, or null.
inline const ArrowArray* child(const ArrowSchema& schema, const ArrowArray& array,
                               std::string_view name, const ArrowSchema** type = nullptr) {
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    if (schema.children[i]->name != name) continue;
    if (type) *type = schema.children[i];
    return array.children[i];
  }
  return nullptr;
}

/// Passes value `index` of `array`, whose column was made for `type`, to `visitor`.
inline void visit_value(const Type& type, const ArrowSchema& schema, const ArrowArray& array,
                        std::int64_t index, Visitor& visitor) {
  if (is_null(array, index)) return visitor.nothing(type);
  auto elements = [&](std::int64_t begin, std::int64_t count) {
    visitor.begin_array(type, static_cast<std::size_t>(count));
    for (std::int64_t i = begin; i < begin + count; ++i) {
      visit_value(*type.element, *schema.children[0], *array.children[0], i, visitor);
    }
    visitor.end_array();
  };
  auto bytes = [&](std::string_view all) {
    visitor.begin_array(type, all.size());
    for (char c : all) {
      visitor.unsigned_integer(*type.element, static_cast<unsigned char>(c));
    }
    visitor.end_array();
  };
  std::string format = schema.format;
  if (format == "b") return visitor.boolean(type, bit_at(array.buffers[1], array.offset + index));
  if (format == "c") return visitor.integer(type, element<std::int8_t>(array, 1, index));
  if (format == "s") return visitor.integer(type, element<std::int16_t>(array, 1, index));
  if (format == "i") return visitor.integer(type, element<std::int32_t>(array, 1, index));
  if (format == "l") return visitor.integer(type, element<std::int64_t>(array, 1, index));
  if (format == "C") return visitor.unsigned_integer(type, element<std::uint8_t>(array, 1, index));
  if (format == "S") return visitor.unsigned_integer(type, element<std::uint16_t>(array, 1, index));
  if (format == "I") return visitor.unsigned_integer(type, element<std::uint32_t>(array, 1, index));
  if (format == "L") return visitor.unsigned_integer(type, element<std::uint64_t>(array, 1, index));
  if (format == "f") {
    return visitor.real(type, static_cast<double>(element<float>(array, 1, index)));
  }
  if (format == "g") return visitor.real(type, element<double>(array, 1, index));
  if (format == "u") return visitor.text(type, bytes_at(array, index));
  if (format == "z") return bytes(bytes_at(array, index));
  if (format.starts_with("w:")) {
    std::size_t width = std::stoul(format.substr(2));
    const char* all = static_cast<const char*>(array.buffers[1]);
    return bytes({all + static_cast<std::size_t>(array.offset + index) * width, width});
  }
  if (format == "+l") {
    auto begin = element<std::int32_t>(array, 1, index);
    return elements(begin, element<std::int32_t>(array, 1, index + 1) - begin);
  }
  if (format.starts_with("+w:")) {
    std::int64_t width = std::stol(format.substr(3));
    return elements((array.offset + index) * width, width);
  }
  if (format != "+s") throw std::invalid_argument("format " + format);
  visitor.begin_struct(type);
  for (const Field& field : type.fields) {
    const ArrowSchema* field_schema = nullptr;
    const ArrowArray* values = child(schema, array, field.name, &field_schema);
    visitor.field(field);
    visit_value(*field.type, *field_schema, *values, array.offset + index, visitor);
  }
  visitor.end_struct();
}

}  // namespace kitbag::test
