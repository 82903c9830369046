#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "kitbag/codec.h"
#include "kitbag/error.h"
#include "kitbag/export.h"
#include "kitbag/time.h"
#include "kitbag/type.h"
#include "kitbag/value.h"

// Structs of your own as messages. A specialization of Describe names the type and its fields:
//
//   struct Pose { double x; double y; std::vector<float> covariance; };
//
//   template <>
//   struct kitbag::Describe<Pose> {
//     static constexpr std::string_view name = "my_msgs/Pose";
//     static constexpr std::tuple fields{Member{"x", &Pose::x}, Member{"y", &Pose::y},
//                                        Member{"covariance", &Pose::covariance}};
//   };
//
// Then StructWriter (struct_writer.h) writes a Pose with a definition that is made of this, in any
// encoding that kitbag has, and `message.as<Pose>()` (field.h) reads it: of a message that was
// written so, or of any message that has fields of these names.
//
// A member is a bool, an integer, a float or double, an enumeration, a std::string, a Time or
// Duration, another struct with a Describe, or a std::vector or std::array of these; bytes are
// std::byte or std::uint8_t. A std::optional can be read and not written.
//
// What is here is inline, so that a struct is encoded without a tree of values in between.

namespace kitbag {

/// A member of a struct and the name of its field.
template <class T, class M>
struct Member {
  std::string_view name;  ///< of the field
  M T::*place;            ///< the member of the struct
};
/// So that `Member{"x", &Pose::x}` needs no template arguments.
template <class T, class M>
Member(const char*, M T::*) -> Member<T, M>;

/// Describes the struct T as a message; specialize it as shown above. `name` is the name of the
/// type, "package/Type", and `fields` a std::tuple of Member, in the order of the definition.
template <class T>
struct Describe;

/// Structs with a specialization of Describe.
template <class T>
concept Described = requires {
  std::string_view(Describe<T>::name);
  std::tuple_size<std::remove_cvref_t<decltype(Describe<T>::fields)>>::value;
};

namespace describing {

template <class T>
inline constexpr bool kIsVector = false;
template <class T, class A>
inline constexpr bool kIsVector<std::vector<T, A>> = true;
template <class T>
inline constexpr bool kIsArray = false;
template <class T, std::size_t N>
inline constexpr bool kIsArray<std::array<T, N>> = true;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsTime = std::same_as<T, Time> || std::same_as<T, Duration>;
template <class T>
inline constexpr bool kIsList = kIsVector<T> || kIsArray<T>;
template <class T>
inline constexpr bool kNever = false;

/// The kind of a number, or of bytes.
template <class T>
constexpr Kind kind_of() {
  constexpr bool is_signed = std::is_signed_v<T>;
  if constexpr (std::same_as<T, bool>) return Kind::boolean;
  if constexpr (std::same_as<T, std::byte>) return Kind::uint8;
  if constexpr (std::same_as<T, float>) return Kind::float32;
  if constexpr (std::same_as<T, double>) return Kind::float64;
  if constexpr (sizeof(T) == 1) return is_signed ? Kind::int8 : Kind::uint8;
  if constexpr (sizeof(T) == 2) return is_signed ? Kind::int16 : Kind::uint16;
  if constexpr (sizeof(T) == 4) return is_signed ? Kind::int32 : Kind::uint32;
  return is_signed ? Kind::int64 : Kind::uint64;
}

template <class T>
inline constexpr bool kIsNumber = std::is_arithmetic_v<T> || std::same_as<T, std::byte>;

/// Whether lists of T have the same bytes in memory as in PackedNumbers of this kind.
template <class T>
constexpr bool is_stored_as(Kind kind) {
  if constexpr (!kIsNumber<T> || std::same_as<T, bool>) {
    return false;
  } else if constexpr (sizeof(T) == 1) {
    bool is_character = kind == Kind::octet || kind == Kind::character;
    return kind == kind_of<T>() || (is_character && !std::is_signed_v<T>);
  } else {
    return kind == kind_of<T>();
  }
}

/// Returns the field of a structure, by its name or by the one that it had before it was converted
/// to another language. Throws Error (not_found), which names similar fields.
KITBAG_API Value member_of(const Value& structure, std::string_view name);
/// Returns a time or a duration for a visitor of the type that an encoding has for it.
KITBAG_API void visit_time(const Type& type, std::int64_t ns, Visitor& visitor);
/// Returns a structure for a time or a duration.
KITBAG_API const Type& add_time(TypeBuilder& builder, Role role);

}  // namespace describing

/// Returns `value` as a T, one of the types that field.h lists. Throws Error (invalid) if it is
/// something else or does not fit, not_found if a field of a struct is missing.
template <class T>
T from_value(const Value& value);

namespace describing {

/// `out` has room for all elements.
template <class T>
void copy_list(const Value& value, std::size_t count, T* out) {
  const auto* packed = std::get_if<PackedNumbers>(&value.content());
  if (packed && is_stored_as<T>(packed->element->kind)) {
    if (count > 0) std::memcpy(static_cast<void*>(out), packed->bytes.data(), count * sizeof(T));
    return;
  }
  if constexpr (std::same_as<T, double>) {  // usual, and never wrong
    if (packed && packed->element->kind == Kind::float32) {
      for (std::size_t i = 0; i < count; ++i) {
        float each = 0;
        std::memcpy(&each, packed->bytes.data() + i * sizeof each, sizeof each);
        out[i] = each;
      }
      return;
    }
  }
  for (std::size_t i = 0; i < count; ++i) out[i] = from_value<T>(value.at(i));
}

template <class T>
T list_from(const Value& value) {
  using Element = typename T::value_type;
  if (!value.is_list()) value.numbers();  // which says what it is
  T list{};
  if constexpr (kIsArray<T>) {
    if (value.size() != list.size()) {
      throw Error(ErrorCode::invalid, "expected a list of " + std::to_string(list.size()) +
                                          ", got one of " + std::to_string(value.size()));
    }
  } else {
    list.resize(value.size());
  }
  if constexpr (std::same_as<T, std::vector<bool>>) {
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = from_value<Element>(value.at(i));
  } else {
    copy_list(value, list.size(), list.data());
  }
  return list;
}

template <class T>
T struct_from(const Value& value) {
  T made{};
  auto take = [&](const auto& member) {
    using M = std::remove_cvref_t<decltype(made.*(member.place))>;
    Value part = member_of(value, member.name);
    try {
      made.*(member.place) = from_value<M>(part);
    } catch (const Error& error) {
      throw Error(error.code(), std::string(member.name) + ": " + error.message());
    }
  };
  std::apply([&](const auto&... members) { (take(members), ...); }, Describe<T>::fields);
  return made;
}

}  // namespace describing

template <class T>
T from_value(const Value& value) {
  using namespace describing;
  if constexpr (std::same_as<T, Value>) {
    return value;
  } else if constexpr (std::same_as<T, Time>) {
    return from_ns(value.nanoseconds());
  } else if constexpr (std::same_as<T, Duration>) {
    return Duration(value.nanoseconds());
  } else if constexpr (std::is_enum_v<T>) {  // std::byte too
    return static_cast<T>(value.as<std::underlying_type_t<T>>());
  } else if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::string>) {
    return value.as<T>();
  } else if constexpr (kIsOptional<T>) {
    if (value.is_nothing()) return std::nullopt;
    return from_value<typename T::value_type>(value);
  } else if constexpr (kIsList<T>) {
    return list_from<T>(value);
  } else {
    static_assert(Described<T>, "no field is a T; for a struct, specialize kitbag::Describe<T>");
    return struct_from<T>(value);
  }
}

namespace describing {

/// Makes the Type of a struct.
class Shaper {
 public:
  template <class T>
  const Type& of() {
    if constexpr (std::same_as<T, std::string>) {
      return builtin_type(Kind::text);
    } else if constexpr (std::same_as<T, Time>) {
      return time(Role::time);
    } else if constexpr (std::same_as<T, Duration>) {
      return time(Role::duration);
    } else if constexpr (kIsNumber<T>) {
      return builtin_type(kind_of<T>());
    } else if constexpr (std::is_enum_v<T>) {
      return of<std::underlying_type_t<T>>();
    } else if constexpr (kIsVector<T>) {
      return builder_.sequence(of<typename T::value_type>());
    } else if constexpr (kIsArray<T>) {
      return builder_.array(of<typename T::value_type>(), std::tuple_size_v<T>);
    } else {
      static_assert(!kIsOptional<T>, "a std::optional can be read and not written");
      static_assert(Described<T>, "specialize kitbag::Describe for this struct");
      return structure<T>();
    }
  }

  template <Described T>
  TypePtr whole() {
    return builder_.finish(of<T>());
  }

 private:
  template <class T>
  const Type& structure() {
    const Type*& known = known_[std::string(Describe<T>::name)];
    if (known) return *known;
    std::vector<Field> fields;
    auto add = [&](const auto& member) {
      using M = std::remove_cvref_t<decltype(std::declval<T>().*(member.place))>;
      Field field;
      field.name = member.name;
      field.type = &of<M>();
      fields.push_back(std::move(field));
    };
    std::apply([&](const auto&... members) { (add(members), ...); }, Describe<T>::fields);
    Type& made = builder_.add(Kind::structure, std::string(Describe<T>::name));
    made.fields = std::move(fields);
    known = &made;
    return made;
  }

  const Type& time(Role role) {
    const Type*& known = times_[role];
    if (!known) known = &add_time(builder_, role);
    return *known;
  }

  TypeBuilder builder_;
  std::map<std::string, const Type*> known_;
  std::map<Role, const Type*> times_;
};

template <class T>
void visit_described(const Type& type, const T& value, Visitor& visitor);

template <class T>
void visit_list(const Type& type, const T& list, Visitor& visitor) {
  using Element = typename T::value_type;
  visitor.begin_array(type, list.size());
  if constexpr (kIsNumber<Element> && !std::same_as<Element, bool>) {
    if (is_stored_as<Element>(type.element->kind)) {
      visitor.packed(*type.element, std::as_bytes(std::span(list)));
      return visitor.end_array();
    }
  }
  for (const auto& each : list) visit_described<Element>(*type.element, each, visitor);
  visitor.end_array();
}

template <class T>
void visit_struct(const Type& type, const T& value, Visitor& visitor) {
  visitor.begin_struct(type);
  std::size_t at = 0;
  constexpr std::size_t kMembers =
      std::tuple_size_v<std::remove_cvref_t<decltype(Describe<T>::fields)>>;
  auto give = [&](const auto& member) {
    using M = std::remove_cvref_t<decltype(value.*(member.place))>;
    // The counter that a header has in ROS 1 alone.
    if (type.fields.size() > kMembers && type.fields[at].is_sequence) {
      visitor.field(type.fields[at]);
      visitor.unsigned_integer(*type.fields[at].type, 0);
      ++at;
    }
    const Field& field = type.fields[at++];
    visitor.field(field);
    visit_described<M>(*field.type, value.*(member.place), visitor);
  };
  std::apply([&](const auto&... members) { (give(members), ...); }, Describe<T>::fields);
  visitor.end_struct();
}

/// Passes a value to `visitor`, as one of `type`: that which an encoding has for a T.
template <class T>
void visit_described(const Type& type, const T& value, Visitor& visitor) {
  if constexpr (std::same_as<T, Time>) {
    visit_time(type, to_ns(value), visitor);
  } else if constexpr (std::same_as<T, Duration>) {
    visit_time(type, value.count(), visitor);
  } else if constexpr (std::same_as<T, bool>) {
    visitor.boolean(type, value);
  } else if constexpr (std::is_enum_v<T>) {
    visit_described(type, static_cast<std::underlying_type_t<T>>(value), visitor);
  } else if constexpr (std::floating_point<T>) {
    visitor.real(type, static_cast<double>(value));
  } else if constexpr (std::signed_integral<T>) {
    visitor.integer(type, std::int64_t{value});
  } else if constexpr (std::unsigned_integral<T>) {
    visitor.unsigned_integer(type, std::uint64_t{value});
  } else if constexpr (std::same_as<T, std::string>) {
    visitor.text(type, value);
  } else if constexpr (kIsList<T>) {
    visit_list(type, value, visitor);
  } else {
    visit_struct(type, value, visitor);
  }
}

}  // namespace describing

/// Returns the type that Describe<T> describes, in no encoding's words yet.
template <Described T>
TypePtr described_type() {
  return describing::Shaper().whole<T>();
}

}  // namespace kitbag
