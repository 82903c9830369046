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

namespace kitbag {

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
  octet,         ///< a byte that is no number: `byte` of ROS 2, `octet` of IDL
  character,     ///< `char` of IDL, one byte
  wide_char,     ///< `wchar` of IDL, two bytes
  text,          ///< UTF-8
  wide_text,     ///< UTF-16 in the payload
  enumeration,   ///< an integer of Type::base
  structure,     ///< fields, one after the other
  tagged_union,  ///< fields[0] says by its value which of the others is there
  array,         ///< Type::length elements
  sequence,      ///< any number of elements, up to Type::length where that is not 0
  any,           ///< whatever the payload says itself: a JSON value without a schema
};

/// What may become of a structure in later versions (XTypes 1.3, 7.2.2.4.4); it decides how CDR
/// lays it out.
enum class Extensibility : std::uint8_t { fixed, appendable, by_id };

/// What a structure is to every language, though each has its own name for it and its fields.
enum class Role : std::uint8_t { none, time, duration };

/// A value in a definition.
struct Literal {
  std::variant<bool, std::int64_t, std::uint64_t, double, std::string, std::vector<Literal>> value;

  bool operator==(const Literal&) const = default;
};

/// What a field or constant was in the world that it comes from, where that is not what it is here.
struct Alias {
  std::string name;
  std::string word;  ///< of its type: "byte"

  bool empty() const { return name.empty() && word.empty(); }
};

struct Constant {
  Kind kind = Kind::int32;
  std::string name;
  std::string text;       ///< of the value, as written; of a string without quotes and escapes
  std::string word = {};  ///< as Field::word
  Alias alias = {};
};

struct Enumerator {
  std::string name;
  std::int64_t value = 0;
};

struct Type;

struct Field {
  std::string name;
  const Type* type = nullptr;
  std::uint32_t index = 0;  ///< in Type::fields
  std::uint32_t id = 0;     ///< its number in protobuf, its member id in IDL; else its place
  bool is_optional = false;
  bool is_key = false;
  /// The counter in the header of a ROS 1 message: at its beginning it is Message::sequence.
  bool is_sequence = false;
  std::optional<Literal> default_value = std::nullopt;
  std::vector<std::int64_t> labels = {};  ///< of a branch of a union
  bool is_default = false;                ///< the branch for all other labels
  Alias alias = {};
  std::string word = {};  ///< the type as its language writes it, where that says more
};

/// What a payload is made of, whatever language it was described in. Immutable once finished; all
/// that it points at lives as long as its TypePtr.
struct Type {
  Kind kind = Kind::any;
  std::string name;  ///< of structures, unions and enumerations, as their language writes it
  std::vector<Field> fields;
  const Type* element = nullptr;
  std::uint64_t length = 0;  ///< of an array; the bound of a sequence or text, 0: none
  std::vector<Enumerator> enumerators;
  Kind base = Kind::int32;  ///< of an enumeration
  std::vector<Constant> constants;
  Extensibility extensibility = Extensibility::fixed;
  Role role = Role::none;
  /// Not 0: values have just so many bytes, one after the other without padding, in every encoding
  /// that goes by position, if they begin at a multiple of `flat_alignment`.
  std::uint32_t flat_bytes = 0;
  std::uint8_t flat_alignment = 1;
  /// The least that a value takes in an encoding that goes by position.
  std::uint32_t least_bytes = 0;
  /// The values that a visitor is told of a default: what visit_default() costs.
  std::uint32_t default_values = 0;
};
using TypePtr = std::shared_ptr<const Type>;

/// A structure or union; deeper ones are refused by the languages and decoders.
inline constexpr std::size_t kMaxTypeDepth = 64;
/// A type may have so many fields, those of all types in it counted each time that they are there,
/// as they would stand in a table with a column for each. A few lines of definition can name
/// billions: each structure holds ten of the next. Real ones have some thousand at the most.
inline constexpr std::size_t kMaxTypeFields = 100'000;

constexpr bool is_integer(Kind kind) {
  return (kind >= Kind::int8 && kind <= Kind::uint64) || kind == Kind::octet ||
         kind == Kind::character || kind == Kind::wide_char || kind == Kind::enumeration;
}
constexpr bool is_real(Kind kind) {
  return kind == Kind::float32 || kind == Kind::float64;
}
constexpr bool is_scalar(Kind kind) {
  return kind <= Kind::wide_char || kind == Kind::enumeration;
}
constexpr bool is_text(Kind kind) {
  return kind == Kind::text || kind == Kind::wide_text;
}
constexpr bool is_list(Kind kind) {
  return kind == Kind::array || kind == Kind::sequence;
}
constexpr bool is_compound(Kind kind) {
  return kind == Kind::structure || kind == Kind::tagged_union;
}
/// Elements that are written as one string of bytes where an encoding has such.
constexpr bool is_byte(Kind kind) {
  return kind == Kind::uint8 || kind == Kind::octet;
}

/// Bytes of a scalar; of an enumeration those of `base`.
KITBAG_API std::size_t scalar_bytes(Kind kind, Kind base = Kind::int32);
/// "uint8", "float64", "string": for messages to people.
KITBAG_API std::string_view kind_name(Kind kind);
/// "float64[36]", "geometry_msgs/Point[]": for messages to people.
KITBAG_API std::string type_name(const Type& type);
/// The type of that scalar, of text without a bound, or any.
KITBAG_API const Type& builtin_type(Kind kind);

/// The same layout and names all through, whatever the names of the types.
KITBAG_API bool same_shape(const Type& a, const Type& b);

/// The field of the union `type` that is there when fields[0] has the value `label`, or null.
KITBAG_API const Field* find_branch(const Type& type, std::int64_t label);

/// Makes types. What it has made lives as long as a TypePtr of finish() does.
class KITBAG_API TypeBuilder {
 public:
  TypeBuilder();

  /// A new type of that kind; its address stays.
  Type& add(Kind kind, std::string name = {});
  const Type& array(const Type& element, std::uint64_t length);
  const Type& sequence(const Type& element, std::uint64_t bound = 0);
  const Type& text(Kind kind, std::uint64_t bound);
  /// Completes what can be derived: places, ids that nobody gave, layouts. `root` is one of those
  /// made here. Throws Error: corrupt where types lie in one another deeper than kMaxTypeDepth,
  /// limit for one with more than kMaxTypeFields.
  TypePtr finish(const Type& root);

 private:
  std::shared_ptr<std::deque<Type>> types_;
};

}  // namespace kitbag
