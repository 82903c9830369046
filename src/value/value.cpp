#include "kitbag/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kitbag/error.h"
#include "value/editor.h"
#include "value/path.h"
#include "value/scalars.h"

// What is read of a value: fields, elements, and conversions to the types of C++. editor.cpp
// changes values, fit.cpp makes one type's value of another's.
//
// Structures and lists are behind shared pointers, so that a copy costs a reference count and
// get("pose.pose") does not copy a tree. Who changes a value copies what it shares first, level by
// level on the way down (ValueEditor::own_structure(), own_list()).

namespace kitbag {

namespace {

std::optional<Value> follow(Value value, const std::vector<PathStep>& steps, bool throws) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const PathStep& step = steps[i];
    auto index = step.name.empty() && value.is_list()
                     ? std::optional(step.index)
                     : (step.name.empty() ? std::nullopt : index_of(value, step.name));
    if (!index || *index >= value.size()) {
      if (!throws) return std::nullopt;
      throw no_such(value, steps, i + 1);
    }
    value = value.at(*index);
  }
  return value;
}

}  // namespace

bool PackedNumbers::operator==(const PackedNumbers& other) const {
  return element->kind == other.element->kind &&
         std::equal(bytes.begin(), bytes.end(), other.bytes.begin(), other.bytes.end());
}

Value::Value(List values) : content_(std::make_shared<List>(std::move(values))) {}

Value Value::structure(std::initializer_list<std::pair<std::string_view, Value>> fields) {
  auto structure = std::make_shared<Structure>();
  for (const auto& [name, value] : fields) {
    structure->names.emplace_back(name);
    structure->values.push_back(value);
  }
  return {builtin_type(Kind::any), std::move(structure)};
}

bool Value::is_list() const {
  return std::holds_alternative<std::shared_ptr<List>>(content_) ||
         std::holds_alternative<PackedNumbers>(content_);
}

std::size_t Value::size() const {
  if (const auto* structure = std::get_if<std::shared_ptr<Structure>>(&content_)) {
    return (*structure)->values.size();
  }
  if (const auto* list = std::get_if<std::shared_ptr<List>>(&content_)) return (*list)->size();
  if (const auto* packed = std::get_if<PackedNumbers>(&content_)) return packed->size();
  return 0;
}

Value Value::at(std::size_t index) const {
  if (index >= size()) {
    throw Error(ErrorCode::not_found, fmt::format("no element {} in {}", index, what_is(*this)));
  }
  if (const auto* structure = std::get_if<std::shared_ptr<Structure>>(&content_)) {
    return (*structure)->values[index];
  }
  if (const auto* list = std::get_if<std::shared_ptr<List>>(&content_)) return (**list)[index];
  return packed_at(std::get<PackedNumbers>(content_), index);
}

std::string_view Value::name(std::size_t index) const {
  const auto* structure = std::get_if<std::shared_ptr<Structure>>(&content_);
  if (!structure || index >= size()) {
    throw Error(ErrorCode::not_found, fmt::format("no field {} in {}", index, what_is(*this)));
  }
  if (!(*structure)->names.empty()) return (*structure)->names[index];
  return type_->fields[index].name;
}

std::optional<Value> Value::find(std::string_view path) const {
  return follow(*this, steps_of(path), false);
}

Value Value::get(std::string_view path) const {
  return *follow(*this, steps_of(path), true);
}

std::int64_t Value::signed_integer(std::int64_t least, std::int64_t most) const {
  auto number = integer_of(*this);
  if (!number) throw unexpected("an integer", *this);
  bool fits = number->is_large ? false : number->value >= least && number->value <= most;
  if (fits) return number->value;
  throw Error(ErrorCode::invalid,
              fmt::format("{} is not between {} and {}", what_is(*this), least, most));
}

std::uint64_t Value::unsigned_integer(std::uint64_t most) const {
  auto number = integer_of(*this);
  if (!number) throw unexpected("an integer", *this);
  bool is_negative = !number->is_large && number->value < 0;
  auto value = static_cast<std::uint64_t>(number->value);
  if (!is_negative && value <= most) return value;
  throw Error(ErrorCode::invalid, fmt::format("{} is not between 0 and {}", what_is(*this), most));
}

double Value::real() const {
  if (const auto* value = std::get_if<double>(&content_)) return *value;
  if (auto number = integer_of(*this)) {
    return number->is_large ? static_cast<double>(static_cast<std::uint64_t>(number->value))
                            : static_cast<double>(number->value);
  }
  throw unexpected("a number", *this);
}

bool Value::boolean() const {
  if (const auto* value = std::get_if<bool>(&content_)) return *value;
  throw unexpected("a boolean", *this);
}

const std::string& Value::text() const {
  if (const auto* value = std::get_if<std::string>(&content_)) return *value;
  throw unexpected("a text", *this);
}

PackedNumbers Value::numbers() const {
  if (const auto* packed = std::get_if<PackedNumbers>(&content_)) return *packed;
  throw unexpected("a list of numbers", *this);
}

std::int64_t Value::nanoseconds() const {
  constexpr std::int64_t kPerSecond = 1'000'000'000;
  if (!is_structure()) return as<std::int64_t>();
  if (type_->role == Role::none || size() != 2) {
    throw unexpected("a time", *this);
  }
  auto seconds = at(0).as<std::int64_t>();
  std::int64_t ns = 0;
  if (__builtin_mul_overflow(seconds, kPerSecond, &ns) ||
      __builtin_add_overflow(ns, at(1).as<std::int64_t>(), &ns)) {
    throw Error(ErrorCode::invalid, fmt::format("{} s are too many for nanoseconds", seconds));
  }
  return ns;
}

void Value::set(std::string_view path, const Value& value) {
  ValueEditor(path).set(*this, value);
}

void Value::resize(std::string_view path, std::size_t size) {
  ValueEditor(path).resize(*this, size);
}

bool Value::operator==(const Value& other) const {
  if (size() != other.size()) return false;
  if (is_list() && other.is_list()) {
    if (content_.index() == other.content_.index() && content_ == other.content_) return true;
    for (std::size_t i = 0; i < size(); ++i) {
      if (at(i) != other.at(i)) return false;
    }
    return true;
  }
  if (is_structure() && other.is_structure()) {
    for (std::size_t i = 0; i < size(); ++i) {
      if (name(i) != other.name(i) || at(i) != other.at(i)) return false;
    }
    return true;
  }
  // Integers are equal whether they have a sign or not. An integer and a real are different kinds.
  auto number = integer_of(*this);
  auto others = integer_of(other);
  if (number && others) {
    return number->value == others->value && number->is_large == others->is_large;
  }
  return content_ == other.content_;
}

}  // namespace kitbag
