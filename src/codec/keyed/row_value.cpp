#include "codec/keyed/row_value.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>

// Encodings by number or name have their fields in any order, or leave them out, so there is
// nothing to be computed beforehand but a tree: each value that is wanted, with the columns that it
// goes into. Readers walk along a payload and the tree at once. What is not in the tree is skipped
// by what the payload says of its size.
//
// Columns of a row grow one by one in the order of the payload, so for a while they differ in
// length. What keeps them equal is that each RowValue gets one value for each time that its
// structure or list begins: from the payload, or a default when the structure ends. If that fails
// in the middle, the caller takes all columns back to where the row began.
//
// A time is two integers for one column. They are in the tree even if nobody wants them as such,
// for the numbers that they keep; end_struct() puts them together, as they may come in any order.

namespace kitbag::keyed {

using arrow::Column;
using arrow::Layout;
using arrow::Number;
using arrow::Target;

namespace {

constexpr std::size_t kMostDepth = kMaxTypeDepth;

struct NotSupported {};

class Compiler {
 public:
  RowValue value(const Type& type, const Target& target, const Field* field) {
    if (++depth_ > kMostDepth) throw NotSupported();
    RowValue made;
    made.type = &type;
    made.field = field;
    made.target = &target;
    made.id = next_id_++;
    switch (type.kind) {
      case Kind::structure:
        structure(made);
        break;
      case Kind::array:
      case Kind::sequence:
        list(made);
        break;
      case Kind::tagged_union:
      case Kind::any:
        throw NotSupported();
      default:
        single(made);
    }
    --depth_;
    return made;
  }

 private:
  static void single(RowValue& made) {
    const Type& type = *made.type;
    for (Column* column : made.target->columns) {
      Layout layout = column->layout();
      bool has_room = is_text(type.kind) ? layout == Layout::text
                                         : layout == Layout::fixed || (layout == Layout::bits &&
                                                                       type.kind == Kind::boolean);
      if (!has_room) throw NotSupported();
      made.columns.push_back(column);
      made.is_alike = made.is_alike && is_stored_alike(type, column->type());
    }
  }

  static bool is_time(const Column& column) {
    Number number = column.type().number;
    return number == Number::time || number == Number::duration;
  }

  static bool is_two_integers(const Type& type) {
    return type.fields.size() == 2 &&
           std::all_of(type.fields.begin(), type.fields.end(), [](const Field& field) {
             return is_integer(field.type->kind) && !field.is_optional;
           });
  }

  void structure(RowValue& made) {
    static const Target kNothing;
    const Type& type = *made.type;
    for (Column* column : made.target->columns) {
      if (is_time(*column) && type.role != Role::none && is_two_integers(type)) {
        made.times.push_back(column);
      } else if (column->layout() == Layout::structure) {
        made.columns.push_back(column);
      } else {
        throw NotSupported();
      }
    }
    for (const Field& field : type.fields) {
      auto found = made.target->fields.find(field.index);
      bool is_wanted = found != made.target->fields.end();
      if (!is_wanted && made.times.empty()) continue;
      made.fields.push_back(value(*field.type, is_wanted ? found->second : kNothing, &field));
    }
  }

  void list(RowValue& made) {
    const Type& type = *made.type;
    for (Column* column : made.target->columns) {
      bool has_length = type.kind == Kind::array && type.length == column->type().width;
      bool has_room = false;
      switch (column->layout()) {
        case Layout::list:
          has_room = true;
          break;
        case Layout::fixed_list:
          has_room = has_length;
          break;
        case Layout::binary:
          has_room = is_byte(type.element->kind);
          break;
        case Layout::fixed_binary:
          has_room = has_length && is_byte(type.element->kind);
          break;
        default:
          break;
      }
      if (!has_room) throw NotSupported();
      made.columns.push_back(column);
    }
    const Target& target = *made.target;
    if (target.each) {
      made.each = std::make_unique<RowValue>(value(*type.element, *target.each, nullptr));
    }
    for (const auto& [index, element] : target.elements) {
      made.elements.emplace_back(index, value(*type.element, element, nullptr));
    }
  }

  std::size_t depth_ = 0;
  std::uint32_t next_id_ = 0;
};

bool is_binary(const Column& column) {
  return column.layout() == Layout::binary || column.layout() == Layout::fixed_binary;
}

}  // namespace

bool RowValue::add_integer(std::int64_t value) {
  number = value;
  return std::all_of(columns.begin(), columns.end(),
                     [&](Column* column) { return column->add_integer(value); });
}

bool RowValue::add_unsigned(std::uint64_t value) {
  number = static_cast<std::int64_t>(value);
  return std::all_of(columns.begin(), columns.end(),
                     [&](Column* column) { return column->add_unsigned(value); });
}

bool RowValue::add_boolean(bool value) {
  return std::all_of(columns.begin(), columns.end(), [&](Column* column) {
    if (column->layout() != Layout::bits) return column->add_unsigned(value ? 1 : 0);
    column->add_bit(value);
    return true;
  });
}

bool RowValue::add_real(double value) {
  return std::all_of(columns.begin(), columns.end(),
                     [&](Column* column) { return column->add_real(value); });
}

void RowValue::add_text(std::string_view value) {
  for (Column* column : columns) column->add_text(value);
}

bool RowValue::has_binary() const {
  return std::any_of(columns.begin(), columns.end(),
                     [](const Column* column) { return is_binary(*column); });
}

bool RowValue::add_bytes(ByteView bytes) {
  begin_list();
  bool has_elements = each || !elements.empty();
  for (std::size_t i = 0; has_elements && i < bytes.size(); ++i) {
    auto byte = std::to_integer<std::uint64_t>(bytes[i]);
    if (!element(i, [&](RowValue& value) { return value.add_unsigned(byte); })) return false;
  }
  if (!end_list(bytes.size())) return false;
  for (Column* column : columns) {
    if (is_binary(*column)) column->add_bytes(bytes);
  }
  return true;
}

void RowValue::begin_struct() {
  for (Column* column : columns) column->add_parent();
  for (Column* column : target->absent) column->add_null();
}

bool RowValue::end_struct() {
  if (times.empty()) return true;
  std::int64_t time = 0;
  if (__builtin_mul_overflow(fields[0].number, std::int64_t{1'000'000'000}, &time)) return false;
  if (__builtin_add_overflow(time, fields[1].number, &time)) return false;
  for (Column* column : times) column->add(time);
  return true;
}

void RowValue::begin_list() {
  next_element = 0;
  for (Column* column : columns) {
    if (column->layout() == Layout::list) column->begin_list(0);
    if (column->layout() == Layout::fixed_list) column->add_parent();
  }
  for (Column* column : target->absent) column->add_null();
}

bool RowValue::end_list(std::uint64_t count) {
  if (type->kind == Kind::array && count != type->length) return false;
  for (Column* column : columns) {
    if (column->layout() == Layout::list) column->extend_list(count);
  }
  for (; next_element < elements.size(); ++next_element) elements[next_element].second.add_nulls();
  return true;
}

bool RowValue::add_default() {
  if (field->default_value) return add_literal(*field->default_value);
  if (!field->is_optional) return add_zero();
  add_nulls();
  return true;
}

bool RowValue::add_zero() {
  switch (type->kind) {
    case Kind::structure:
      begin_struct();
      for (RowValue& part : fields) {
        if (!part.add_default()) return false;
      }
      return end_struct();
    case Kind::sequence:
      // A list without elements is the same, whatever its elements would be.
      return add_bytes({});
    case Kind::array:
      // Each of its elements has a default, with columns of its own: the decoder does that.
      return false;
    case Kind::text:
    case Kind::wide_text:
      add_text({});
      return true;
    case Kind::float32:
    case Kind::float64:
      return add_real(0);
    case Kind::boolean:
      return add_boolean(false);
    case Kind::enumeration:
      return add_integer(type->enumerators.empty() ? 0 : type->enumerators.front().value);
    default:
      return add_integer(0);
  }
}

bool RowValue::add_literal(const Literal& literal) {
  if (const auto* text = std::get_if<std::string>(&literal.value)) {
    if (!is_text(type->kind)) return false;
    add_text(*text);
    return true;
  }
  if (const auto* real = std::get_if<double>(&literal.value)) {
    return is_real(type->kind) && add_real(*real);
  }
  if (const auto* large = std::get_if<std::uint64_t>(&literal.value)) {
    return is_integer(type->kind) && add_unsigned(*large);
  }
  std::int64_t value = 0;
  if (const auto* yes = std::get_if<bool>(&literal.value)) {
    value = *yes ? 1 : 0;
  } else if (const auto* integer = std::get_if<std::int64_t>(&literal.value)) {
    value = *integer;
  } else {
    return false;  // lists
  }
  if (is_real(type->kind)) return add_real(static_cast<double>(value));
  if (type->kind == Kind::boolean) return add_boolean(value != 0);
  return is_integer(type->kind) && add_integer(value);
}

std::unique_ptr<RowValue> compile_row(const Type& type, const Target& target) {
  try {
    return std::make_unique<RowValue>(Compiler().value(type, target, nullptr));
  } catch (const NotSupported&) {
    return nullptr;
  }
}

}  // namespace kitbag::keyed
