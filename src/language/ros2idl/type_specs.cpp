#include "language/ros2idl/type_specs.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <vector>

namespace kitbag::ros2idl {

namespace {

constexpr std::uint64_t kMaxLength = UINT32_MAX;

struct Word {
  std::string_view name;
  Kind kind;
};
/// Types for which kind_name() has another name.
constexpr std::array<Word, 8> kTypeWords = {{{"boolean", Kind::boolean},
                                             {"octet", Kind::octet},
                                             {"char", Kind::character},
                                             {"wchar", Kind::wide_char},
                                             {"short", Kind::int16},
                                             {"float", Kind::float32},
                                             {"double", Kind::float64},
                                             {"any", Kind::any}}};

/// "int8" to "uint64", whose names contain their width.
bool is_sized_integer(std::optional<Kind> kind) {
  return kind && *kind >= Kind::int8 && *kind <= Kind::uint64;
}

}  // namespace

const Type& TypeSpecs::type() {
  in_.enter();
  const Type* type = nullptr;
  if (auto kind = primitive()) {
    type = &builtin_type(*kind);
  } else if (in_.is_at("string") || in_.is_at("wstring")) {
    Kind text = in_.is_at("string") ? Kind::text : Kind::wide_text;
    in_.pass();
    std::uint64_t length = 0;
    if (in_.take("<")) {
      length = bound();
      in_.expect(">");
    }
    type = &builder_.text(text, length);
  } else if (in_.take("sequence")) {
    in_.expect("<");
    in_.annotations();
    const Type& element = this->type();
    std::uint64_t length = in_.take(",") ? bound() : 0;
    in_.expect(">");
    type = &builder_.sequence(element, length);
  } else if (in_.is_at("map") || in_.is_at("fixed")) {
    in_.refuse(fmt::format("{} is not supported", in_.token().text));
  } else {
    std::string name = in_.scoped_name();
    type = names_.type(name);
    if (!type) in_.miss(name);
  }
  in_.leave();
  return *type;
}

std::optional<Kind> TypeSpecs::primitive() {
  if (in_.token().what != Token::What::name) return std::nullopt;
  // In IDL, long has 32 bits and long long has 64, on every machine.
  if (in_.take("unsigned")) {
    if (in_.take("short")) return Kind::uint16;
    in_.expect("long");
    return in_.take("long") ? Kind::uint64 : Kind::uint32;
  }
  if (in_.take("long")) {
    if (in_.is_at("double")) in_.refuse("long double is not supported");
    return in_.take("long") ? Kind::int64 : Kind::int32;
  }
  for (const Word& word : kTypeWords) {
    if (!in_.is_at(word.name)) continue;
    if (word.kind == Kind::any) in_.refuse("any is not supported");
    in_.pass();
    return word.kind;
  }
  auto kind = kind_named(in_.token().text);
  if (!is_sized_integer(kind)) return std::nullopt;
  in_.pass();
  return kind;
}

const Type& TypeSpecs::dimensions(const Type& element) {
  std::vector<std::uint64_t> lengths;
  while (in_.take("[")) {
    lengths.push_back(bound());
    in_.expect("]");
    if (lengths.size() > Reader::kMaxDepth) in_.fail("too many dimensions");
  }
  const Type* type = &element;
  // From the last to the first: "x[2][3]" is two times three.
  for (std::size_t i = lengths.size(); i-- > 0;) type = &builder_.array(*type, lengths[i]);
  return *type;
}

std::uint64_t TypeSpecs::bound() {
  std::int64_t length = expressions_.bound();
  if (length <= 0 || static_cast<std::uint64_t>(length) > kMaxLength) {
    in_.fail(fmt::format("{} is not a valid length", length));
  }
  return static_cast<std::uint64_t>(length);
}

}  // namespace kitbag::ros2idl
