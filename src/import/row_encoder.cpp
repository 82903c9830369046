#include "import/row_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "import/cell_numbers.h"
#include "kitbag/error.h"
#include "kitbag/registry.h"

// A row is walked along the type, not along the table: fields that have no column are passed as
// their defaults in between, in the order that an encoder needs.
//
// A value that is missing is nothing in an optional field alone. Elsewhere a field has to have one:
// NaN for real numbers, and the default for all others. How many there were is counted.

namespace kitbag {

namespace {

[[noreturn]] void refuse_value(const FieldSource& source, const std::string& what) {
  std::string column = source.path.empty() ? "value" : source.path;
  throw Error(ErrorCode::invalid, fmt::format("column {}: {}", column, what));
}

[[noreturn]] void refuse_value(const FieldSource& source, const Cell& cell) {
  refuse_value(source,
               fmt::format("expected {}, got {}", type_name(*source.type), cell.describe()));
}

bool is_same_number(const Type& element, const arrow::IpcField& column) {
  Kind kind = element.kind == Kind::enumeration ? element.base : element.kind;
  if (column.dictionary || column.type.width != static_cast<std::int64_t>(scalar_bytes(kind))) {
    return false;
  }
  if (is_real(kind)) return column.type.number == arrow::IpcTypeNumber::floating_point;
  if (!is_integer(kind) || column.type.number != arrow::IpcTypeNumber::integer) return false;
  bool is_signed =
      kind == Kind::int8 || kind == Kind::int16 || kind == Kind::int32 || kind == Kind::int64;
  return std::get<bool>(column.type.parameters.at(1)) == is_signed;
}

void put_number(const Type& type, CellInteger number, Visitor& visitor) {
  bool is_signed = type.kind == Kind::enumeration || type.kind == Kind::int8 ||
                   type.kind == Kind::int16 || type.kind == Kind::int32 || type.kind == Kind::int64;
  if (is_signed) {
    visitor.integer(type, number.value);
  } else {
    visitor.unsigned_integer(type, static_cast<std::uint64_t>(number.value));
  }
}

bool is_time_of_two_integers(const Type& type) {
  return type.role != Role::none && type.fields.size() == 2 &&
         is_integer(type.fields[0].type->kind) && is_integer(type.fields[1].type->kind);
}

}  // namespace

RowEncoder::RowEncoder(FieldSource& root, TypePtr type, bool is_empty_missing,
                       std::int64_t time_unit_ns, PlaceOfRow place_of_row, const Session& session)
    : root_(root),
      type_(std::move(type)),
      is_empty_missing_(is_empty_missing),
      time_unit_ns_(time_unit_ns),
      place_of_row_(std::move(place_of_row)),
      json_(find_codec(session.registry(), "json")) {}

void RowEncoder::write(const Cell& row, Visitor& visitor) {
  put(root_, row, visitor);
  ++row_;
}

void RowEncoder::put(FieldSource& source, const Cell& parent, Visitor& visitor) {
  switch (source.from) {
    case FieldSource::From::nowhere: {
      Field field;
      field.type = source.type;
      return visit_default(source.field ? *source.field : field, visitor);
    }
    case FieldSource::From::parts:
      return put_parts(source, parent, visitor);
    case FieldSource::From::column:
      return put_value(source, parent.child(source.column), visitor);
  }
}

/// Whether an element that has columns of its own is not there.
bool RowEncoder::is_missing(const FieldSource& source, const Cell& parent) const {
  if (source.from == FieldSource::From::nowhere) return true;
  if (source.from == FieldSource::From::column) {
    Cell cell = parent.child(source.column);
    return cell.is_null() || (is_empty_missing_ && cell.is_text() && cell.text().empty());
  }
  return std::all_of(source.children.begin(), source.children.end(),
                     [&](const FieldSource& child) { return is_missing(child, parent); });
}

void RowEncoder::put_parts(FieldSource& source, const Cell& row, Visitor& visitor) {
  const Type& type = *source.type;
  if (source.field && source.field->is_optional && is_missing(source, row)) {
    return visitor.nothing(type);
  }
  if (!is_list(type.kind)) {
    visitor.begin_struct(type);
    for (std::size_t i = 0; i < source.children.size(); ++i) {
      visitor.field(type.fields[i]);
      put(source.children[i], row, visitor);
    }
    return visitor.end_struct();
  }
  std::size_t count = source.children.size();
  // A sequence ends before the missing elements at its end, as rows of one table have lists of
  // different lengths. Missing ones in front of others are elements.
  if (type.kind == Kind::sequence) {
    while (count > 0 && is_missing(source.children[count - 1], row)) --count;
  } else {
    count = static_cast<std::size_t>(type.length);
  }
  visitor.begin_array(type, count);
  Field element;
  element.type = type.element;
  for (std::size_t i = 0; i < count; ++i) {
    if (i < source.children.size()) {
      put(source.children[i], row, visitor);
    } else {
      visit_default(element, visitor);
    }
  }
  visitor.end_array();
}

void RowEncoder::put_missing(FieldSource& source, Visitor& visitor) {
  const Type& type = *source.type;
  if (source.field && source.field->is_optional) return visitor.nothing(type);
  ++source.missing;
  if (is_real(type.kind)) return visitor.real(type, std::numeric_limits<double>::quiet_NaN());
  Field field;
  field.type = source.type;
  visit_default(source.field ? *source.field : field, visitor);
}

void RowEncoder::put_value(FieldSource& source, const Cell& cell, Visitor& visitor) {
  const Type& type = *source.type;
  if (cell.is_null()) return put_missing(source, visitor);
  // An empty text is a value for a field of texts. CSV has no other way to say that an optional one
  // is missing.
  if (cell.is_text() && cell.text().empty()) {
    bool is_optional = is_empty_missing_ && source.field && source.field->is_optional;
    if (is_optional || !kitbag::is_text(type.kind)) return put_missing(source, visitor);
  }
  if (is_list(type.kind)) return put_list(source, cell, visitor);
  if (is_compound(type.kind)) return put_structure(source, cell, visitor);
  if (type.kind == Kind::any) return put_any(source, cell, visitor);
  put_scalar(source, cell, visitor);
}

void RowEncoder::put_scalar(const FieldSource& source, const Cell& cell, Visitor& visitor) {
  const Type& type = *source.type;
  if (kitbag::is_text(type.kind)) return put_text(source, cell, visitor);
  if (is_real(type.kind)) return put_real(source, cell, visitor);
  if (type.kind != Kind::boolean) return put_integer(source, cell, visitor);
  if (cell.is_boolean()) return visitor.boolean(type, cell.boolean());
  std::optional<bool> value;
  if (cell.is_text()) value = boolean_of(cell.text());
  if (!value) {
    auto number = integer_in(type, cell);
    bool is_bit = number && !number->is_large && (number->value == 0 || number->value == 1);
    if (is_bit) value = number->value == 1;
  }
  if (!value) refuse_value(source, cell);
  visitor.boolean(type, *value);
}

void RowEncoder::put_integer(const FieldSource& source, const Cell& cell, Visitor& visitor) const {
  const Type& type = *source.type;
  auto number = integer_in(type, cell);
  if (!number) refuse_value(source, cell);
  if (!bounds_of(type).has(*number)) {
    refuse_value(source,
                 fmt::format("{} is out of range for {}", cell.describe(), type_name(type)));
  }
  put_number(type, *number, visitor);
}

void RowEncoder::put_real(const FieldSource& source, const Cell& cell, Visitor& visitor) const {
  const Type& type = *source.type;
  std::optional<double> value;
  if (cell.is_real()) {
    value = cell.real();
  } else if (cell.is_text()) {
    value = parsed_real(cell.text());
  } else if (cell.is_integer() || cell.is_boolean()) {
    CellInteger number = *integer_in(type, cell);
    value = number.is_large ? static_cast<double>(static_cast<std::uint64_t>(number.value))
                            : static_cast<double>(number.value);
  }
  if (!value) refuse_value(source, cell);
  bool is_narrow = type.kind == Kind::float32;
  if (is_narrow && std::isfinite(*value) && std::isinf(static_cast<float>(*value))) {
    refuse_value(source,
                 fmt::format("{} is out of range for {}", cell.describe(), type_name(type)));
  }
  visitor.real(type, *value);
}

void RowEncoder::put_text(const FieldSource& source, const Cell& cell, Visitor& visitor) const {
  const Type& type = *source.type;
  if (!cell.is_text() && !cell.is_bytes()) refuse_value(source, cell);
  std::string_view text = cell.text();
  if (type.length > 0 && text.size() > type.length) {
    refuse_value(source, fmt::format("a text of {} bytes, and {} holds {}", text.size(),
                                     type_name(type), type.length));
  }
  visitor.text(type, text);
}

void RowEncoder::put_any(const FieldSource& source, const Cell& cell, Visitor& visitor) {
  if (cell.is_text()) return put_json(source, cell, visitor);
  if (cell.is_boolean()) return visitor.boolean(builtin_type(Kind::boolean), cell.boolean());
  if (cell.is_real()) return visitor.real(builtin_type(Kind::float64), cell.real());
  if (!cell.is_integer()) refuse_value(source, cell);
  CellInteger number = cell.integer();
  put_number(builtin_type(number.is_large ? Kind::uint64 : Kind::int64), number, visitor);
}

/// What has no columns of its own: a list or a structure in CSV, a value without a type, a
/// structure that contains itself.
void RowEncoder::put_json(const FieldSource& source, const Cell& cell, Visitor& visitor) {
  auto& decoder = decoders_[source.type];
  if (!decoder) decoder = json_->decoder(TypePtr(type_, source.type));
  try {
    decoder->decode(as_bytes(cell.text()), visitor);
  } catch (const Error& error) {
    if (is_final(error.code())) throw;
    refuse_value(source, fmt::format("{} is no JSON of {}: {}", cell.describe(),
                                     type_name(*source.type), error.message()));
  }
}

void RowEncoder::put_list(FieldSource& source, const Cell& cell, Visitor& visitor) {
  const Type& type = *source.type;
  if (cell.is_text()) return put_json(source, cell, visitor);
  auto require_length = [&](std::size_t count) {
    bool fits =
        type.kind == Kind::array ? count == type.length : type.length == 0 || count <= type.length;
    if (!fits) {
      refuse_value(source, fmt::format("expected {}, got {} elements", type_name(type), count));
    }
  };
  if (cell.is_bytes()) {
    ByteView bytes = cell.bytes();
    require_length(bytes.size());
    visitor.begin_array(type, bytes.size());
    if (!bytes.empty()) visitor.packed(*type.element, bytes);
    return visitor.end_array();
  }
  if (!cell.is_list()) refuse_value(source, cell);
  auto count = static_cast<std::size_t>(cell.list_size());
  require_length(count);
  visitor.begin_array(type, count);
  FieldSource& element = source.children.front();
  std::optional<ByteView> packed;
  // Numbers that lie in the table as a message has them are passed at once: images are lists, too.
  if (is_same_number(*type.element, cell.type().children.front())) {
    packed = cell.packed_elements(static_cast<std::int64_t>(type.element->flat_bytes));
  }
  if (packed && !packed->empty()) {
    visitor.packed(*type.element, *packed);
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      put_value(element, cell.element(static_cast<std::int64_t>(i)), visitor);
    }
  }
  visitor.end_array();
}

void RowEncoder::put_structure(FieldSource& source, const Cell& cell, Visitor& visitor) {
  const Type& type = *source.type;
  bool is_time = is_time_of_two_integers(type) && !cell.is_structure();
  bool is_json = cell.is_text() && (cell.is_json() || cell.text().starts_with('{'));
  if (is_time && !is_json) return put_time(source, cell, visitor);
  if (cell.is_text()) return put_json(source, cell, visitor);
  if (!cell.is_structure()) refuse_value(source, cell);
  if (type.kind == Kind::tagged_union) return put_union(source, cell, visitor);
  visitor.begin_struct(type);
  for (std::size_t i = 0; i < source.children.size(); ++i) {
    visitor.field(type.fields[i]);
    put(source.children[i], cell, visitor);
  }
  visitor.end_struct();
}

void RowEncoder::put_union(FieldSource& source, const Cell& cell, Visitor& visitor) {
  const Type& type = *source.type;
  FieldSource& selector = source.children.front();
  if (selector.from != FieldSource::From::column) {
    refuse_value(source, "the union does not say which branch it has");
  }
  Cell label = cell.child(selector.column);
  auto number = label.is_null() ? std::nullopt : integer_in(*selector.type, label);
  if (!number) refuse_value(selector, label);
  visitor.begin_struct(type);
  visitor.field(type.fields.front());
  put(selector, cell, visitor);
  // A label need not have a branch.
  if (const Field* branch = find_branch(type, number->value)) {
    visitor.field(*branch);
    put(source.children[branch->index], cell, visitor);
  }
  visitor.end_struct();
}

/// Seconds are rounded down, so that nanoseconds are not negative before 1970. A message may have
/// more nanoseconds than a second has; then seconds are as many as there can be.
void RowEncoder::put_time(FieldSource& source, const Cell& cell, Visitor& visitor) const {
  const Type& type = *source.type;
  std::int64_t ns = 0;
  try {
    if (time_unit_ns_ == 0) source.unit.check(cell, row_, place_of_row_);
    ns = time_in(cell, type.role == Role::duration, time_unit_ns_);
  } catch (const Error& error) {
    refuse_value(source, error.message());
  }
  const Type& seconds_type = *type.fields[0].type;
  const Type& rest_type = *type.fields[1].type;
  Bounds bounds = bounds_of(seconds_type);
  std::int64_t seconds = ns / kNsPerSecond - (ns % kNsPerSecond < 0 ? 1 : 0);
  auto most = static_cast<std::int64_t>(std::min<std::uint64_t>(bounds.most, INT64_MAX));
  seconds = std::clamp(seconds, bounds.least, most);
  std::int64_t whole_ns = 0;
  std::int64_t rest = 0;
  bool is_out = __builtin_mul_overflow(seconds, kNsPerSecond, &whole_ns) ||
                __builtin_sub_overflow(ns, whole_ns, &rest) || !bounds_of(rest_type).has({rest});
  if (is_out) refuse_value(source, fmt::format("the time does not fit in {}", type_name(type)));
  visitor.begin_struct(type);
  visitor.field(type.fields[0]);
  put_number(seconds_type, {seconds}, visitor);
  visitor.field(type.fields[1]);
  put_number(rest_type, {rest}, visitor);
  visitor.end_struct();
}

}  // namespace kitbag
