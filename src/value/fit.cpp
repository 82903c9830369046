#include "value/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/value.h"
#include "value/scalars.h"

// Values come from people: as dictionaries of a script, as single fields that were set. fit() makes
// of them what a type says, and refuses what would change a value silently: a number that is out of
// range or not whole, a text that is too long, a field that the type does not have.
//
// What a type takes:
//
//     boolean        a boolean
//     integer        an integer in its range; an enumeration its names, too
//     real           any number
//     bytes          a list of integers, or a text, whose bytes they are
//     time           its two fields, or one integer: nanoseconds
//     structure      fields by name; those that are missing have their defaults
//     union          the discriminator, and of the others only the branch that it selects

namespace kitbag {

namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

/// Puts the path of a part, which `path` makes, in front of what is wrong with it.
template <class Path, class Make>
Value at_path(const Path& path, const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    throw Error(error.code(), under(path(), error.message()));
  }
}

Value fit_field(const Value& value, const Field& field) {
  return at_path([&] { return "." + field.name; }, [&] { return fit(value, *field.type); });
}

Value fit_integer(const Value& value, const Type& type) {
  Kind kind = type.kind == Kind::enumeration ? type.base : type.kind;
  auto number = integer_of(value);
  if (!number) throw unexpected(type_name(type), value);
  bool is_signed =
      kind == Kind::int8 || kind == Kind::int16 || kind == Kind::int32 || kind == Kind::int64;
  auto bits = static_cast<unsigned>(8 * scalar_bytes(kind));
  if (is_signed) {
    std::int64_t most = INT64_MAX >> (64 - bits);
    if (number->is_large || number->value > most || number->value < -most - 1) {
      throw unexpected(type_name(type), value);
    }
    return {type, number->value};
  }
  std::uint64_t most = UINT64_MAX >> (64 - bits);
  bool is_negative = !number->is_large && number->value < 0;
  if (is_negative || static_cast<std::uint64_t>(number->value) > most) {
    throw unexpected(type_name(type), value);
  }
  if (type.kind == Kind::enumeration) return {type, number->value};
  return {type, static_cast<std::uint64_t>(number->value)};
}

Value fit_enumeration(const Value& value, const Type& type) {
  const auto* name = std::get_if<std::string>(&value.content());
  if (!name) return fit_integer(value, type);
  auto found = std::find_if(type.enumerators.begin(), type.enumerators.end(),
                            [&](const Enumerator& each) { return each.name == *name; });
  if (found == type.enumerators.end()) throw unexpected(type_name(type), value);
  return {type, found->value};
}

Value fit_text(const Value& value, const Type& type) {
  const auto* text = std::get_if<std::string>(&value.content());
  if (!text) throw unexpected("a text", value);
  if (type.length > 0 && text->size() > type.length) {
    throw Error(ErrorCode::invalid, fmt::format("a text of {} bytes, and {} holds {}", text->size(),
                                                type_name(type), type.length));
  }
  return {type, *text};
}

Value packed(const Type& list, std::vector<std::byte> bytes) {
  auto owner = std::make_shared<std::vector<std::byte>>(std::move(bytes));
  ByteView view(*owner);
  return {list, PackedNumbers{list.element, view, std::move(owner)}};
}

void require_length(const Type& type, std::size_t count) {
  bool fits =
      type.kind == Kind::array ? count == type.length : type.length == 0 || count <= type.length;
  if (fits) return;
  throw Error(ErrorCode::invalid,
              fmt::format("expected {}, got a list of {}", type_name(type), count));
}

Value fit_list(const Value& value, const Type& type) {
  const Type& element = *type.element;
  const auto* text = std::get_if<std::string>(&value.content());
  if (text && is_byte(element.kind)) {
    require_length(type, text->size());
    ByteView bytes = as_bytes(*text);
    return packed(type, {bytes.begin(), bytes.end()});
  }
  if (!value.is_list()) throw unexpected(type_name(type), value);
  require_length(type, value.size());
  const auto* numbers = std::get_if<PackedNumbers>(&value.content());
  // The bytes are shared, so that an image that was read is written without a copy here.
  if (numbers && is_packable(element) && numbers->element->kind == element.kind) {
    return {type, PackedNumbers{&element, numbers->bytes, numbers->owner}};
  }
  std::vector<std::byte> bytes;
  Value::List list;
  bool is_packed = is_packable(element);
  if (is_packed) bytes.reserve(value.size() * element.flat_bytes);
  for (std::size_t i = 0; i < value.size(); ++i) {
    Value each =
        at_path([&] { return fmt::format("[{}]", i); }, [&] { return fit(value.at(i), element); });
    if (is_packed) {
      append_packed(element, each, bytes);
    } else {
      list.push_back(std::move(each));
    }
  }
  if (is_packed) return packed(type, std::move(bytes));
  return {type, std::make_shared<Value::List>(std::move(list))};
}

/// Nanoseconds as the two numbers of a time or a duration.
Value fit_time(const Value& value, const Type& type) {
  auto ns = value.as<std::int64_t>();
  // Rounded down, so that nanoseconds are not negative before 1970.
  std::int64_t seconds = ns / kNsPerSecond - (ns % kNsPerSecond < 0 ? 1 : 0);
  auto structure = std::make_shared<Value::Structure>();
  structure->values.push_back(fit(seconds, *type.fields[0].type));
  structure->values.push_back(fit(ns - seconds * kNsPerSecond, *type.fields[1].type));
  return {type, std::move(structure)};
}

Value fit_union(const Value& value, const Type& type) {
  auto structure = std::make_shared<Value::Structure>();
  for (const Field& field : type.fields)
    structure->values.emplace_back(*field.type, Value::Content());
  const Field& selector = type.fields[0];
  auto label = index_of(value, selector.name);
  if (!label) {
    throw Error(ErrorCode::invalid,
                fmt::format(".{}: the union does not say which branch it has", selector.name));
  }
  structure->values[0] = fit_field(value.at(*label), selector);
  const Value& selected = structure->values[0];
  const auto* yes = std::get_if<bool>(&selected.content());
  const Field* branch = find_branch(type, yes ? (*yes ? 1 : 0) : integer_of(selected)->value);
  for (std::size_t i = 0; i < value.size(); ++i) {
    // A union that was read has the other branches too, as nothing.
    if (i == *label || value.at(i).is_nothing()) continue;
    if (!branch || value.name(i) != branch->name) {
      throw Error(ErrorCode::invalid, fmt::format(".{}: not the branch that {} selects",
                                                  value.name(i), what_is(selected)));
    }
    structure->values[branch->index] = fit_field(value.at(i), *branch);
  }
  if (branch && structure->values[branch->index].is_nothing()) {
    structure->values[branch->index] = Value::of(*branch->type);
  }
  return {type, std::move(structure)};
}

Value default_of(const Field& field) {
  ValueBuilder builder;
  builder.begin();
  visit_default(field, builder);
  return builder.end();
}

Value fit_structure(const Value& value, const Type& type) {
  if (type.role != Role::none && type.fields.size() == 2 && integer_of(value)) {
    return fit_time(value, type);
  }
  if (!value.is_structure()) throw unexpected(type_name(type), value);
  if (type.kind == Kind::tagged_union) return fit_union(value, type);
  auto structure = std::make_shared<Value::Structure>();
  std::size_t found = 0;
  for (const Field& field : type.fields) {
    auto index = index_of(value, field.name);
    if (!index) {
      structure->values.push_back(default_of(field));
      continue;
    }
    ++found;
    Value given = value.at(*index);
    structure->values.push_back(given.is_nothing() && field.is_optional ? Value(*field.type, {})
                                                                        : fit_field(given, field));
  }
  // Each field that was given has found its place.
  if (found == value.size()) return {type, std::move(structure)};
  Value fitted(type, std::move(structure));
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (index_of(fitted, value.name(i))) continue;
    std::vector<PathStep> steps = {{value.name(i)}};
    throw Error(ErrorCode::invalid, no_such(fitted, steps, 1).message());
  }
  throw Error(ErrorCode::invalid, "a field is given twice");
}

}  // namespace

std::string under(const std::string& path, const std::string& sentence) {
  bool goes_on = !sentence.empty() && (sentence.front() == '.' || sentence.front() == '[');
  return fmt::format("{}{}{}", path, goes_on ? "" : ": ", sentence);
}

Value fit(const Value& value, const Type& type) {
  // A number or text of this very type was checked when it got it. Structures and lists are gone
  // through again, since parts of them may have been set.
  bool is_whole = &value.type() == &type && !is_compound(type.kind) && !is_list(type.kind);
  if (is_whole || type.kind == Kind::any) return value;
  switch (type.kind) {
    case Kind::boolean:
      if (std::holds_alternative<bool>(value.content())) return {type, value.content()};
      throw unexpected("a boolean", value);
    case Kind::float32:
    case Kind::float64:
      return {type, value.as<double>()};
    case Kind::text:
    case Kind::wide_text:
      return fit_text(value, type);
    case Kind::enumeration:
      return fit_enumeration(value, type);
    case Kind::array:
    case Kind::sequence:
      return fit_list(value, type);
    case Kind::structure:
    case Kind::tagged_union:
      return fit_structure(value, type);
    default:
      return fit_integer(value, type);
  }
}

Value Value::of(const Type& type) {
  Field field;
  field.type = &type;
  return default_of(field);
}

}  // namespace kitbag
