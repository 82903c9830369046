#include "payload/mapping.h"

#include <fmt/format.h>

#include <optional>

#include "kitbag/error.h"
#include "model/type/literal.h"

// Fields are matched by name, never by place or type, except in times: ROS 1's {sec, nsec} and
// protobuf's {seconds, nanos} are the same two numbers. A field may have two names, its own and its
// alias in the world that it comes from; the first field of the target that has either is taken. A
// rule of the user names it alone.
//
// Numbers may narrow where a message only changes its encoding, since protobuf and JSON have fewer
// kinds and the values came out of the narrow ones: each value is checked. For a later definition
// that would mean that a conversion fails in the middle of a bag, so there a type that cannot hold
// all values is refused before the first message.
//
// A pair of types is compiled once, however often it occurs, and is entered before its fields are,
// so types that contain themselves come to an end. Most of what a mapping says is that nothing has
// to be done: `is_flat_copy` lets whole arrays of structures go through as bytes.

namespace kitbag {

namespace {

/// The range of an integer.
struct Range {
  unsigned bits = 0;  ///< of the value, sign not counted
  bool is_signed = false;

  bool holds(const Range& other) const {
    return bits >= other.bits && (is_signed || !other.is_signed);
  }
};

Kind integer_kind(const Type& type) {
  return type.kind == Kind::enumeration ? type.base : type.kind;
}

Range range_of(const Type& type) {
  Kind kind = integer_kind(type);
  bool is_signed =
      kind == Kind::int8 || kind == Kind::int16 || kind == Kind::int32 || kind == Kind::int64;
  auto bits = static_cast<unsigned>(8 * scalar_bytes(kind));
  return {is_signed ? bits - 1 : bits, is_signed};
}

/// Integers of up to this many bits are exact in a floating-point number of that kind.
unsigned exact_bits(Kind real) {
  return real == Kind::float32 ? 24 : 53;
}

/// Whether equal values of both types have the same bytes.
bool is_copy(const Mapping& mapping) {
  const Type& source = *mapping.source;
  const Type& target = *mapping.target;
  if (source.flat_bytes == 0 || source.flat_bytes != target.flat_bytes ||
      source.flat_alignment != target.flat_alignment) {
    return false;
  }
  if (mapping.element) return mapping.element->is_flat_copy;
  if (source.kind != Kind::structure) {
    return !mapping.may_narrow && is_scalar(source.kind) &&
           is_real(source.kind) == is_real(target.kind);
  }
  if (source.fields.size() != target.fields.size()) return false;
  for (std::size_t i = 0; i < source.fields.size(); ++i) {
    bool is_same = mapping.targets[i] == i && mapping.fields[i]->is_flat_copy;
    if (!is_same) return false;
  }
  return true;
}

[[noreturn]] void refuse_rule(const std::string& what) {
  throw Error(ErrorCode::invalid, "the rules " + what);
}

std::string joined(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

}  // namespace

/// By either name of the type.
template <class Rules>
typename Rules::const_iterator Mappings::rules_for(const Rules& rules,
                                                   const std::string& type) const {
  auto found = rules.find(type);
  if (found == rules.end() && language_.short_name) found = rules.find(language_.short_name(type));
  return found;
}

const Mapping& Mappings::compile(const Type& source, const Type& target) {
  return make(source, target, {});
}

void Mappings::refuse(const Type& source, const Type& target, const std::string& path) const {
  throw Error(ErrorCode::unsupported,
              fmt::format("{}{} cannot be converted to {}", path.empty() ? "" : path + ": ",
                          type_name(source), type_name(target)));
}

const Mapping& Mappings::make(const Type& source, const Type& target, const std::string& path) {
  auto [known, is_new] = made_.emplace(std::pair(&source, &target), nullptr);
  if (!is_new) return *known->second;
  Mapping& mapping = all_.emplace_back();
  known->second = &mapping;
  mapping.source = &source;
  mapping.target = &target;
  if (source.kind == Kind::any || target.kind == Kind::any) {
    if (source.kind != target.kind) refuse(source, target, path);
  } else if (is_list(source.kind) && is_list(target.kind)) {
    bool is_other_length =
        source.kind == Kind::array && target.kind == Kind::array && source.length != target.length;
    if (is_other_length && fit_ == Fit::evolution) refuse(source, target, path);
    mapping.element = &make(*source.element, *target.element, path + "[]");
  } else if (is_compound(source.kind) && source.kind == target.kind) {
    map_fields(mapping, path);
  } else if (is_scalar(source.kind) && is_scalar(target.kind)) {
    map_scalar(mapping, path);
  } else if (!is_text(source.kind) || !is_text(target.kind)) {
    refuse(source, target, path);
  }
  mapping.is_flat_copy = is_copy(mapping);
  return mapping;
}

/// The mapping of a field whose values are renumbered: a copy, because other fields of its type may
/// not be.
const Mapping& Mappings::renumbered(const Mapping& plain, const std::string& path) {
  auto values = values_.find(path);
  if (values == values_.end()) return plain;
  Mapping& own = all_.emplace_back(plain);
  own.values = &values->second;
  own.is_flat_copy = false;
  return own;
}

Mappings::Places::Places(const Type& target) {
  for (std::size_t i = 0; i < target.fields.size(); ++i) {
    by_name.emplace(target.fields[i].name, i);
    by_alias.emplace(target.fields[i].alias.name, i);
  }
}

std::optional<std::size_t> Mappings::place_of(const Field& field, const Type& target,
                                              const Places& places) const {
  std::string wanted = field.name;
  bool is_renamed = false;
  auto rules = rules_for(migration_.fields, target.name);
  if (rules != migration_.fields.end()) {
    auto rename = rules->second.find(field.name);
    is_renamed = rename != rules->second.end();
    if (is_renamed) wanted = rename->second;
    if (is_renamed && report_) report_->rules[rules->first] = true;
  }
  std::optional<std::size_t> first;
  auto look = [&first](const std::map<std::string_view, std::size_t>& by, std::string_view name) {
    auto found = by.find(name);
    if (found != by.end() && (!first || found->second < *first)) first = found->second;
  };
  look(places.by_name, wanted);
  if (is_renamed && !first) {
    refuse_rule(fmt::format("rename field {} to {}, which {} does not have", field.name, wanted,
                            target.name));
  }
  if (is_renamed) return first;
  look(places.by_alias, field.name);
  look(places.by_name, field.alias.name);
  return first;
}

void Mappings::set_fills(Mapping& mapping, const Places& places) const {
  const Type& target = *mapping.target;
  mapping.fills.assign(target.fields.size(), std::nullopt);
  auto rules = rules_for(migration_.fills, target.name);
  if (rules == migration_.fills.end()) return;
  if (report_) report_->rules[rules->first] = true;
  for (const auto& [name, value] : rules->second) {
    auto place = places.by_name.find(name);
    if (place == places.by_name.end()) {
      refuse_rule(fmt::format("fill field {}, which {} does not have", name, target.name));
    }
    try {
      mapping.fills[place->second] = parse_literal(*target.fields[place->second].type, value);
    } catch (const Error& error) {
      refuse_rule(fmt::format("fill field {} of {}: {}", name, target.name, error.message()));
    }
  }
}

void Mappings::map_fields(Mapping& mapping, const std::string& path) {
  const Type& source = *mapping.source;
  const Type& target = *mapping.target;
  bool is_by_place = source.role != Role::none && source.role == target.role &&
                     source.fields.size() == target.fields.size();
  Places places(target);
  set_fills(mapping, places);
  std::size_t next = 0;
  std::vector<const Field*> sources(target.fields.size());  // by place
  for (std::size_t i = 0; i < source.fields.size(); ++i) {
    const Field& field = source.fields[i];
    auto place = is_by_place ? i : place_of(field, target, places);
    if (!place) {
      mapping.targets.push_back(Mapping::kDropped);
      mapping.fields.push_back(nullptr);
      continue;
    }
    if (const Field* other = std::exchange(sources[*place], &field)) {
      throw Error(
          ErrorCode::invalid,
          fmt::format("fields {} and {} of {} would both become {}; the rules can give one "
                      "of them another name",
                      other->name, field.name, type_name(source), target.fields[*place].name));
    }
    mapping.targets.push_back(*place);
    mapping.is_in_order &= *place >= next;
    next = *place + 1;
    // The numbers of a time have other widths in other languages. They may narrow in a later
    // definition, too, and each value is checked.
    Fit fit = std::exchange(fit_, is_by_place ? Fit::same : fit_);
    std::string at = joined(path, field.name);
    mapping.fields.push_back(&renumbered(make(*field.type, *target.fields[*place].type, at), at));
    fit_ = fit;
  }
}

void Mappings::map_scalar(Mapping& mapping, const std::string& path) const {
  const Type& source = *mapping.source;
  const Type& target = *mapping.target;
  if (source.kind == target.kind && source.kind != Kind::enumeration) return;
  bool is_boolean = source.kind == Kind::boolean || target.kind == Kind::boolean;
  if (is_boolean) refuse(source, target, path);
  if (is_real(source.kind)) {
    bool fits = is_real(target.kind) && (target.kind == Kind::float64 || fit_ == Fit::same);
    if (!fits) refuse(source, target, path);
    return;
  }
  if (is_real(target.kind)) {
    if (range_of(source).bits > exact_bits(target.kind)) refuse(source, target, path);
    return;
  }
  mapping.may_narrow = !range_of(target).holds(range_of(source));
  if (mapping.may_narrow && fit_ == Fit::evolution) refuse(source, target, path);
}

}  // namespace kitbag
