#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kitbag/export.h"

// A Type describes what a payload consists of, whatever language it was defined in: scalars, texts,
// structures, unions, lists. Languages parse schemas into Types; codecs and everything that looks
// at payloads work with Types only.
//
//   TypeBuilder builder;
//   Type& point = builder.add(Kind::structure, "my_msgs/Point");
//   point.fields.push_back({.name = "x", .type = &builtin_type(Kind::float64)});
//   TypePtr type = builder.finish(point);
//
// Types refer to each other by plain pointers. One TypePtr keeps all types of its builder alive.
// finish() precomputes the memory layout, so decoders can pass many values in one step.

namespace kitbag {

/// What kind of value a type describes.
enum class Kind : std::uint8_t {
  boolean,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float32,
  float64,
  octet,        ///< a byte that is not a number: `byte` in ROS 2, `octet` in IDL
  character,    ///< `char` in IDL, one byte
  wide_char,    ///< `wchar` in IDL, two bytes
  text,         ///< UTF-8
  wide_text,    ///< UTF-16 in the payload
  enumeration,  ///< an integer of Type::base
  structure,    ///< fields, one after the other
  /// The value of fields[0] selects which one of the other fields is present.
  tagged_union,
  array,     ///< exactly Type::length elements
  sequence,  ///< any number of elements; at most Type::length if that is not 0
  any,       ///< described by the payload itself: a JSON value without a schema
};

/// How later versions of a structure may differ from this one (XTypes 1.3, 7.2.2.4.4: final,
/// appendable, mutable). It determines the layout in CDR.
enum class Extensibility : std::uint8_t { fixed, appendable, by_id };

/// A meaning that many languages know, under different type and field names.
enum class Role : std::uint8_t { none, time, duration };

/// A value in a definition, such as a default.
struct Literal {
  /// As a visitor gets it; a list of them for a list.
  std::variant<bool, std::int64_t, std::uint64_t, double, std::string, std::vector<Literal>> value;

  bool operator==(const Literal&) const = default;
};

/// The original name and type of a field or constant that was converted from another language;
/// empty if they are the same.
struct Alias {
  std::string name;  ///< its name there
  std::string word;  ///< its type: "byte"

  /// Returns whether it is the same in both languages.
  bool empty() const { return name.empty() && word.empty(); }
};

/// A named constant in a definition.
struct Constant {
  Kind kind = Kind::int32;  ///< of the value
  std::string name;         ///< its name
  std::string text;         ///< the value as written; of a string, without quotes and escapes
  std::string word = {};    ///< as in Field::word
  Alias alias = {};         ///< in the original language
};

/// One value of an enumeration.
struct Enumerator {
  std::string name;        ///< its name
  std::int64_t value = 0;  ///< its number
};

struct Type;

/// A field of a structure or union.
struct Field {
  std::string name;            ///< its name
  const Type* type = nullptr;  ///< never null
  std::uint32_t index = 0;     ///< its index in Type::fields
  /// Its number in protobuf, its member id in IDL; otherwise its index.
  std::uint32_t id = 0;
  bool is_optional = false;  ///< the value may be missing
  bool is_key = false;       ///< part of the key of a DDS topic
  /// True: the counter in the header of a ROS 1 message. If the header is the beginning of the
  /// message, its value is Message::sequence.
  bool is_sequence = false;
  /// The default in the definition; absent: none.
  std::optional<Literal> default_value = std::nullopt;
  /// In a union: the values of fields[0] that select this field.
  std::vector<std::int64_t> labels = {};
  bool is_default = false;  ///< in a union: selected by all other values
  Alias alias = {};         ///< in the original language
  std::string word = {};    ///< the type as its language writes it, if that says more
};

/// The type of a value. Immutable once finished. Everything that it points at lives as long as its
/// TypePtr.
struct Type {
  Kind kind = Kind::any;  ///< what it describes
  std::string name;       ///< of a structure, union or enumeration, as its language writes it
  /// Of a structure or union.
  std::vector<Field> fields;
  /// Type of the elements of a list; else null.
  const Type* element = nullptr;
  /// Number of elements of an array; bound of a sequence or text, 0: none.
  std::uint64_t length = 0;
  std::vector<Enumerator> enumerators;  ///< of an enumeration, in the order of the definition
  Kind base = Kind::int32;              ///< integer type of an enumeration
  std::vector<Constant> constants;      ///< in the definition of a structure
  Extensibility extensibility = Extensibility::fixed;  ///< of a structure or union
  Role role = Role::none;                              ///< of a structure
  /// Not 0: a value takes exactly this many bytes, without padding, in every encoding in which
  /// fields are identified by position, if it begins at a multiple of `flat_alignment`.
  std::uint32_t flat_bytes = 0;
  std::uint8_t flat_alignment = 1;  ///< see flat_bytes
  /// The minimum size in bytes of a value in an encoding in which fields are identified by
  /// position.
  std::uint32_t least_bytes = 0;
  /// The number of values that visit_default() passes to a visitor for this type: what a default
  /// costs.
  std::uint32_t default_values = 0;
};
using TypePtr = std::shared_ptr<const Type>;  ///< keeps all nested types alive

/// How deep structures and unions may be nested. Languages and decoders refuse deeper types and
/// values; some count lists too and allow twice as much.
inline constexpr std::size_t kMaxTypeDepth = 64;
/// The maximum number of fields in a type. The fields of a nested type are counted each time that
/// it occurs, as if the type were a table with one column per field. Without the limit, a few lines
/// of definition could describe billions of fields, if each structure holds ten of the next one.
/// Real types have a few thousand at most.
inline constexpr std::size_t kMaxTypeFields = 100'000;

/// Returns whether values are integers; also true for octets, characters and enumerations.
constexpr bool is_integer(Kind kind) {
  return (kind >= Kind::int8 && kind <= Kind::uint64) || kind == Kind::octet ||
         kind == Kind::character || kind == Kind::wide_char || kind == Kind::enumeration;
}
/// Returns whether values are floating-point numbers.
constexpr bool is_real(Kind kind) {
  return kind == Kind::float32 || kind == Kind::float64;
}
/// Returns whether values have a fixed size of 1, 2, 4 or 8 bytes: numbers, booleans, enumerations.
constexpr bool is_scalar(Kind kind) {
  return kind <= Kind::wide_char || kind == Kind::enumeration;
}
/// Returns whether values are texts.
constexpr bool is_text(Kind kind) {
  return kind == Kind::text || kind == Kind::wide_text;
}
/// Returns whether values are arrays or sequences.
constexpr bool is_list(Kind kind) {
  return kind == Kind::array || kind == Kind::sequence;
}
/// Returns whether values are structures or unions.
constexpr bool is_compound(Kind kind) {
  return kind == Kind::structure || kind == Kind::tagged_union;
}
/// Returns whether lists of this kind are byte strings in encodings that have them.
constexpr bool is_byte(Kind kind) {
  return kind == Kind::uint8 || kind == Kind::octet;
}

/// Returns the size of a scalar in bytes; for an enumeration, that of `base`; 0 for other kinds.
KITBAG_API std::size_t scalar_bytes(Kind kind, Kind base = Kind::int32);
/// Returns "uint8", "float64", "string": for messages to people.
KITBAG_API std::string_view kind_name(Kind kind);
/// Returns the kind of scalar or text, enumerations excepted, with that kind_name(); nothing if
/// there is none.
KITBAG_API std::optional<Kind> kind_named(std::string_view name);
/// Returns "float64[36]", "geometry_msgs/Point[]": for messages to people.
KITBAG_API std::string type_name(const Type& type);
/// Returns the type of that scalar, of unbounded text, or of any. Valid for the life of the
/// process.
KITBAG_API const Type& builtin_type(Kind kind);

/// Returns whether two types have the same layout and the same field names throughout. Type names
/// may differ.
KITBAG_API bool same_shape(const Type& a, const Type& b);

/// Returns the field of the union `type` that is present when fields[0] has the value `label`, or
/// null.
KITBAG_API const Field* find_branch(const Type& type, std::int64_t label);

/// Creates types. They live as long as the builder or a TypePtr that finish() returned. One thread.
class KITBAG_API TypeBuilder {
 public:
  TypeBuilder();

  /// Adds a type of that kind and returns it. Its address does not change.
  Type& add(Kind kind, std::string name = {});
  /// Adds an array of `length` elements.
  const Type& array(const Type& element, std::uint64_t length);
  /// Adds a sequence of at most `bound` elements; 0: no limit.
  const Type& sequence(const Type& element, std::uint64_t bound = 0);
  /// Returns a text of that kind with a length of at most `bound`; 0: no limit.
  const Type& text(Kind kind, std::uint64_t bound);
  /// Completes what can be derived: indexes, ids that were not set, layouts. `root` must come from
  /// this builder. Throws Error: corrupt if types are nested more than 2 * kMaxTypeDepth levels
  /// deep, counting lists; limit if a type has more than kMaxTypeFields fields.
  TypePtr finish(const Type& root);

 private:
  std::shared_ptr<std::deque<Type>> types_;
};

}  // namespace kitbag
