#include "columns/unite.h"

#include <algorithm>
#include <optional>
#include <utility>

// Types are united so that no value changes, as far as there is such a type: of a signed and an
// unsigned integer, the next wider signed one; of an integer and a real, one whose mantissa holds
// the integer, which is float64 for want of a larger one where the integer has 64 bits. A uint64
// and a signed integer have no common type. A boolean becomes an integer if the other one is.
// Metadata that differ are dropped: names of an enumeration would be wrong for some of the values.
//
//     int8, uint8         int16             int16, float32    float32
//     int32, uint32       int64             int32, float32    float64
//     int64, uint64       JSON              bool, int8        int8
//     float64[3], [4]     list of float64   text, int8        JSON

namespace kitbag {

namespace {

using arrow::ColumnType;
using arrow::Layout;
using arrow::Number;

bool is_same_number(const ColumnType& a, const ColumnType& b) {
  return a.layout == b.layout && a.format == b.format;
}

bool is_integer(const ColumnType& type) {
  return type.number == Number::integer || type.number == Number::unsigned_integer;
}

ColumnType real_type(const ColumnType& like, std::uint32_t width) {
  return {like.name, width == 4 ? "f" : "g", Layout::fixed, Number::real, width};
}

std::optional<ColumnType> unite_integers(const ColumnType& a, const ColumnType& b) {
  if (a.number == b.number) return a.width > b.width ? a : ColumnType{b};
  const ColumnType& with_sign = a.number == Number::integer ? a : b;
  const ColumnType& without = a.number == Number::integer ? b : a;
  std::uint32_t width = std::max(with_sign.width, without.width * 2);
  if (width > 8) return std::nullopt;
  const char* format = width == 2 ? "s" : width == 4 ? "i" : "l";
  return ColumnType{a.name, format, Layout::fixed, Number::integer, width};
}

std::optional<ColumnType> unite_numbers(const ColumnType& a, const ColumnType& b) {
  if (is_integer(a) && is_integer(b)) return unite_integers(a, b);
  if (a.layout == Layout::bits && is_integer(b)) return b;
  if (b.layout == Layout::bits && is_integer(a)) return a;
  bool is_numeric =
      (is_integer(a) || a.number == Number::real) && (is_integer(b) || b.number == Number::real);
  if (!is_numeric) return std::nullopt;
  // A float32 holds integers of 16 bits.
  auto fits_float = [](const ColumnType& type) {
    return type.number == Number::real ? type.width == 4 : type.width <= 2;
  };
  return real_type(a, fits_float(a) && fits_float(b) ? 4 : 8);
}

bool is_list(const ColumnType& type) {
  return type.layout == Layout::list || type.layout == Layout::fixed_list;
}

bool is_binary(const ColumnType& type) {
  return type.layout == Layout::binary || type.layout == Layout::fixed_binary;
}

ColumnType unite_structures(ColumnType a, const ColumnType& b) {
  for (const ColumnType& child : b.children) {
    auto found = std::find_if(a.children.begin(), a.children.end(),
                              [&](const ColumnType& one) { return one.name == child.name; });
    if (found == a.children.end()) {
      a.children.push_back(child);
    } else {
      *found = unite(*found, child);
    }
  }
  return a;
}

std::optional<ColumnType> unite_layouts(const ColumnType& a, const ColumnType& b) {
  if (a.layout == Layout::structure && b.layout == Layout::structure) {
    return unite_structures(a, b);
  }
  if (is_list(a) && is_list(b)) {
    ColumnType element = unite(a.children.front(), b.children.front());
    if (a.format != b.format) return arrow::list_type(std::move(element), a.name);
    ColumnType united = a;
    united.children.front() = std::move(element);
    return united;
  }
  if (is_binary(a) && is_binary(b)) {
    if (a.format == b.format) return a;
    return ColumnType{a.name, "z", Layout::binary};
  }
  if (is_same_number(a, b)) return a;
  return unite_numbers(a, b);
}

/// Apart from what the columns are called and what their metadata say.
bool is_stored_the_same(const ColumnType& a, const ColumnType& b) {
  return a.format == b.format && a.layout == b.layout &&
         std::equal(a.children.begin(), a.children.end(), b.children.begin(), b.children.end(),
                    is_stored_the_same);
}

}  // namespace

bool can_hold(const ColumnType& column, const ColumnType& value) {
  return is_stored_the_same(unite(column, value), column);
}

arrow::ColumnType unite(const ColumnType& a, const ColumnType& b) {
  ColumnType united = unite_layouts(a, b).value_or(arrow::json_type({}));
  united.name = a.name;
  if (united.layout == Layout::json) return united;  // its metadata says so
  united.metadata = a.metadata == b.metadata ? a.metadata : decltype(a.metadata){};
  return united;
}

}  // namespace kitbag
