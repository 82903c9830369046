#include "kitbag/type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "kitbag/error.h"

// Two properties of a type are worked out once, because they decide what a message costs. A type is
// flat if its values have the same bytes in each encoding by position: all fields of fixed size,
// none optional, and each at a multiple of its alignment without padding. geometry_msgs/Pose is
// flat, and {uint8 a; float64 b} is not, although it would be in ROS 1: a decoder has one answer
// for all. What is flat is passed on and copied as bytes. `least_bytes` is what a count from a
// payload is checked against before anybody allocates.
//
// Definitions come from bags. A type of n lines can have 2^n fields if each line uses the type
// before twice, so fields are counted as often as they occur, and depth is limited. Types of IDL
// and protobuf may contain themselves: where derive() meets a type again, it takes what is known of
// it so far, which is that it is not flat.
//
// Built-in types are one object each for the whole process. They are complete before any thread
// sees them, and are not derived again.

namespace kitbag {

namespace {

constexpr std::array<std::string_view, 21> kNames = {
    "bool",   "int8",    "uint8",   "int16",   "uint16", "int32", "uint32",
    "int64",  "uint64",  "float32", "float64", "byte",   "char",  "wchar",
    "string", "wstring", "enum",    "struct",  "union",  "array", "sequence"};

/// An aggregate of flat types may be larger, but then gains nothing from being flat.
constexpr std::uint64_t kMaxFlatBytes = 1 << 20;

/// Derives the layout members of Type, those of nested types first.
class Layouts {
 public:
  /// How deep types are nested in `type`.
  std::size_t derive(Type& type) {
    auto [state, is_new] = depths_.emplace(&type, 0);
    if (!is_new) return state->second;  // also one that contains itself: neither flat nor counted
    std::size_t depth = 0;
    auto inner = [&](const Type* part) {
      if (!part) return;
      // Threads share the built-in types, which are complete.
      bool is_builtin = part == &builtin_type(part->kind);
      depth = std::max(depth, is_builtin ? 1 : derive(const_cast<Type&>(*part)) + 1);
    };
    if (open_ > 2 * kMaxTypeDepth) fail();
    ++open_;
    inner(type.element);
    bool has_ids = std::any_of(type.fields.begin(), type.fields.end(),
                               [](const Field& field) { return field.id != 0; });
    for (std::size_t i = 0; i < type.fields.size(); ++i) {
      Field& field = type.fields[i];
      field.index = static_cast<std::uint32_t>(i);
      if (!has_ids) field.id = field.index;
      inner(field.type);
    }
    --open_;
    if (depth > 2 * kMaxTypeDepth) fail();
    layout(type);
    count_fields(type);
    return depths_[&type] = depth;
  }

 private:
  [[noreturn]] static void fail() {
    throw Error(ErrorCode::corrupt,
                fmt::format("types are nested more than {} levels deep", kMaxTypeDepth));
  }

  /// Fields are counted as often as they occur; in a type that contains itself, once.
  void count_fields(Type& type) {
    std::uint64_t count = type.element ? fields_[type.element] : 0;
    std::uint64_t values = 1;
    for (const Field& field : type.fields) {
      count += 1 + fields_[field.type];
      values += field.is_optional ? 1 : std::max(field.type->default_values, 1U);
    }
    if (count > kMaxTypeFields) {
      throw Error(ErrorCode::limit,
                  fmt::format("{} has more than {} fields, including the fields of nested types",
                              type.name.empty() ? "a type" : type.name, kMaxTypeFields));
    }
    fields_[&type] = count;
    if (type.kind == Kind::array) {
      std::uint64_t each = std::max(type.element->default_values, 1U);
      values += each * std::min<std::uint64_t>(type.length, UINT32_MAX);
    }
    type.default_values = static_cast<std::uint32_t>(std::min<std::uint64_t>(values, UINT32_MAX));
  }

  static void layout(Type& type) {
    if (is_scalar(type.kind)) {
      auto bytes = static_cast<std::uint32_t>(scalar_bytes(type.kind, type.base));
      type.least_bytes = bytes;
      // Each value of an enumeration has to be checked.
      type.flat_bytes = type.kind == Kind::enumeration ? 0 : bytes;
      type.flat_alignment = static_cast<std::uint8_t>(bytes);
    } else if (is_text(type.kind) || type.kind == Kind::sequence) {
      type.least_bytes = sizeof(std::uint32_t);
    } else if (type.kind == Kind::array) {
      layout_array(type);
    } else if (type.kind == Kind::structure) {
      layout_structure(type);
    } else if (type.kind == Kind::tagged_union && !type.fields.empty()) {
      type.least_bytes = type.fields[0].type->least_bytes;
    }
  }

  static void layout_array(Type& type) {
    auto times = [&](std::uint64_t bytes) {
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(
          bytes * std::min<std::uint64_t>(type.length, UINT32_MAX), UINT32_MAX));
    };
    const Type& element = *type.element;
    type.least_bytes = times(element.least_bytes);
    if (element.flat_bytes > 0 && type.length > 0 && times(element.flat_bytes) <= kMaxFlatBytes) {
      type.flat_bytes = times(element.flat_bytes);
      type.flat_alignment = element.flat_alignment;
    }
  }

  /// Flat if each field, and a structure that follows, begins at a multiple of its own alignment
  /// without padding.
  static void layout_structure(Type& type) {
    std::uint64_t least = 0;
    std::uint64_t flat = 0;
    std::uint8_t alignment = 1;
    bool is_flat = type.extensibility == Extensibility::fixed;
    for (const Field& field : type.fields) {
      const Type& part = *field.type;
      if (!field.is_optional) least += part.least_bytes;
      is_flat &= !field.is_optional && part.flat_bytes > 0 && flat % part.flat_alignment == 0;
      flat += part.flat_bytes;
      alignment = std::max(alignment, part.flat_alignment);
    }
    type.least_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(least, UINT32_MAX));
    if (!is_flat || flat % alignment != 0 || flat > kMaxFlatBytes) return;
    type.flat_bytes = static_cast<std::uint32_t>(flat);
    type.flat_alignment = alignment;
  }

  std::map<const Type*, std::size_t> depths_;
  std::map<const Type*, std::uint64_t> fields_;
  std::size_t open_ = 0;
};

std::deque<Type> make_builtins() {
  std::deque<Type> types;
  for (auto kind = Kind::boolean; kind <= Kind::any;
       kind = static_cast<Kind>(static_cast<std::uint8_t>(kind) + 1)) {
    Type& type = types.emplace_back();
    type.kind = kind;
    if (is_scalar(kind) || is_text(kind)) Layouts().derive(type);
  }
  return types;
}

bool same_field(const Field& a, const Field& b) {
  return a.name == b.name && a.is_optional == b.is_optional && a.id == b.id &&
         a.labels == b.labels && a.is_default == b.is_default && a.is_sequence == b.is_sequence;
}

/// Pairs of types that were compared, or are being compared, count as equal: otherwise the
/// comparison of types that contain themselves would never end.
bool same_shape(const Type& a, const Type& b,
                std::set<std::pair<const Type*, const Type*>>& assumed) {
  if (&a == &b) return true;
  if (!assumed.emplace(&a, &b).second) return true;
  if (a.kind != b.kind || a.length != b.length || a.extensibility != b.extensibility ||
      a.role != b.role || a.fields.size() != b.fields.size()) {
    return false;
  }
  if (a.kind == Kind::enumeration && a.base != b.base) return false;
  if (a.element && (!b.element || !same_shape(*a.element, *b.element, assumed))) return false;
  for (std::size_t i = 0; i < a.fields.size(); ++i) {
    if (!same_field(a.fields[i], b.fields[i])) return false;
    if (!same_shape(*a.fields[i].type, *b.fields[i].type, assumed)) return false;
  }
  return true;
}

}  // namespace

std::size_t scalar_bytes(Kind kind, Kind base) {
  switch (kind) {
    case Kind::boolean:
    case Kind::int8:
    case Kind::uint8:
    case Kind::octet:
    case Kind::character:
      return 1;
    case Kind::int16:
    case Kind::uint16:
    case Kind::wide_char:
      return 2;
    case Kind::int32:
    case Kind::uint32:
    case Kind::float32:
      return 4;
    case Kind::int64:
    case Kind::uint64:
    case Kind::float64:
      return 8;
    case Kind::enumeration:
      return scalar_bytes(base, Kind::int32);
    default:
      return 0;
  }
}

std::string_view kind_name(Kind kind) {
  auto index = static_cast<std::size_t>(kind);
  return index < kNames.size() ? kNames[index] : "any";
}

std::optional<Kind> kind_named(std::string_view name) {
  auto end = kNames.begin() + static_cast<std::ptrdiff_t>(Kind::enumeration);
  auto found = std::find(kNames.begin(), end, name);
  if (found == end) return std::nullopt;
  return static_cast<Kind>(found - kNames.begin());
}

std::string type_name(const Type& type) {
  if (type.kind == Kind::array) {
    return fmt::format("{}[{}]", type_name(*type.element), type.length);
  }
  if (type.kind == Kind::sequence) {
    std::string bound = type.length > 0 ? fmt::format("<={}", type.length) : "";
    return fmt::format("{}[{}]", type_name(*type.element), bound);
  }
  if (!type.name.empty()) return type.name;
  std::string name(kind_name(type.kind));
  return is_text(type.kind) && type.length > 0 ? fmt::format("{}<={}", name, type.length) : name;
}

const Type& builtin_type(Kind kind) {
  static const std::deque<Type> kTypes = make_builtins();
  return kTypes[static_cast<std::size_t>(kind)];
}

bool same_shape(const Type& a, const Type& b) {
  std::set<std::pair<const Type*, const Type*>> assumed;
  return same_shape(a, b, assumed);
}

TypeBuilder::TypeBuilder() : types_(std::make_shared<std::deque<Type>>()) {}

Type& TypeBuilder::add(Kind kind, std::string name) {
  Type& type = types_->emplace_back();
  type.kind = kind;
  type.name = std::move(name);
  return type;
}

const Type& TypeBuilder::array(const Type& element, std::uint64_t length) {
  Type& type = add(Kind::array);
  type.element = &element;
  type.length = length;
  return type;
}

const Type& TypeBuilder::sequence(const Type& element, std::uint64_t bound) {
  Type& type = add(Kind::sequence);
  type.element = &element;
  type.length = bound;
  return type;
}

const Type& TypeBuilder::text(Kind kind, std::uint64_t bound) {
  if (bound == 0) return builtin_type(kind);
  Type& type = add(kind);
  type.length = bound;
  return type;
}

TypePtr TypeBuilder::finish(const Type& root) {
  Layouts layouts;
  for (Type& type : *types_) layouts.derive(type);
  return {types_, &root};
}

}  // namespace kitbag
