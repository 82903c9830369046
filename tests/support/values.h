#pragma once

#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "kitbag/kitbag.h"

/// Random types, random values of them, and the calls of a visitor as text.
namespace kitbag::test {

/// All calls that it got, one after the other; packed values one by one.
class Listing final : public Visitor {
 public:
  std::string values;

  void begin_struct(const Type&) override { values += '{'; }
  void field(const Field& field) override { values += field.name + ':'; }
  void end_struct() override { values += "} "; }
  void begin_array(const Type&, std::size_t count) override {
    values += '[' + std::to_string(count) + ' ';
  }
  void end_array() override { values += "] "; }
  void boolean(const Type&, bool value) override { values += value ? "true " : "false "; }
  void integer(const Type&, std::int64_t value) override { values += std::to_string(value) + ' '; }
  void unsigned_integer(const Type&, std::uint64_t value) override {
    values += std::to_string(value) + ' ';
  }
  void real(const Type& type, double value) override {
    // Bits, so that -0 is not 0; one NaN is like another.
    auto bits = type.kind == Kind::float32 ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                                           : std::bit_cast<std::uint64_t>(value);
    values += std::isnan(value) ? "nan " : std::to_string(bits) + ' ';
  }

  void text(const Type&, std::string_view value) override {
    values += '"' + std::string(value) + "\" ";
  }
  void nothing(const Type&) override { values += "nothing "; }
};

/// Passes the same to two visitors.
class Both final : public LeafVisitor<Both> {
 public:
  Both(Visitor& a, Visitor& b) : a_(a), b_(b) {}

  void begin_struct(const Type& type) override { a_.begin_struct(type), b_.begin_struct(type); }
  void field(const Field& field) override { a_.field(field), b_.field(field); }
  void end_struct() override { a_.end_struct(), b_.end_struct(); }
  void begin_array(const Type& type, std::size_t count) override {
    a_.begin_array(type, count), b_.begin_array(type, count);
  }
  void end_array() override { a_.end_array(), b_.end_array(); }
  template <class Value>
  void leaf(const Type& type, Value value) {
    visit_leaf(type, value, a_);
    visit_leaf(type, value, b_);
  }

 private:
  Visitor& a_;
  Visitor& b_;
};

/// Random types, with everything that languages can say where `has_idl` is set.
class TypeMaker {
 public:
  TypeMaker(std::mt19937& random, bool has_idl) : random_(random), has_idl_(has_idl) {}

  TypePtr make() { return builder_.finish(structure(0)); }

 private:
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }

  const Type& structure(int depth) {
    std::vector<Field> fields;
    std::uint32_t count = below(6);
    for (std::uint32_t i = 0; i < count; ++i) {
      Field field;
      field.name = "f" + std::to_string(i);
      field.id = i;
      field.type = &value(depth + 1);
      field.is_optional = has_idl_ && below(5) == 0;
      fields.push_back(std::move(field));
    }
    Type& type = builder_.add(Kind::structure, "test/T" + std::to_string(types_++));
    type.fields = std::move(fields);
    if (has_idl_ && below(4) == 0) type.extensibility = Extensibility::by_id;
    if (has_idl_ && below(4) == 0) type.extensibility = Extensibility::appendable;
    return type;
  }

  const Type& value(int depth) {
    switch (below(depth < 3 ? 8 : 4)) {
      case 4:
        return structure(depth);
      case 5:
        return builder_.array(value(depth + 1), 1 + below(4));
      case 6:
      case 7:
        return builder_.sequence(value(depth + 1));
      default:
        return scalar();
    }
  }

  const Type& scalar() {
    constexpr std::array<Kind, 14> kKinds = {
        Kind::boolean, Kind::int8,   Kind::uint8, Kind::int16,  Kind::uint16,
        Kind::int32,   Kind::uint32, Kind::int64, Kind::uint64, Kind::float32,
        Kind::float64, Kind::text,   Kind::octet, Kind::text};
    return builtin_type(kKinds[below(kKinds.size())]);
  }

  std::mt19937& random_;
  bool has_idl_;
  TypeBuilder builder_;
  int types_ = 0;
};

/// Passes a random value of `type` to `visitor`.
inline void tell_random(const Type& type, std::mt19937& random, Visitor& visitor) {
  auto bits = (std::uint64_t{random()} << 32 | random()) >> (random() % 64);
  std::size_t bytes = scalar_bytes(type.kind, type.base);
  std::uint64_t mask = bytes < 8 ? (std::uint64_t{1} << (8 * bytes)) - 1 : UINT64_MAX;
  switch (type.kind) {
    case Kind::boolean:
      return visitor.boolean(type, bits % 2 == 1);
    case Kind::int8:
      return visitor.integer(type, static_cast<std::int8_t>(bits));
    case Kind::int16:
      return visitor.integer(type, static_cast<std::int16_t>(bits));
    case Kind::int32:
      return visitor.integer(type, static_cast<std::int32_t>(bits));
    case Kind::int64:
      return visitor.integer(type, static_cast<std::int64_t>(bits));
    case Kind::float32:
      return visitor.real(
          type, static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
    case Kind::float64:
      return visitor.real(type, std::bit_cast<double>(bits));
    case Kind::text:
    case Kind::wide_text: {
      constexpr std::array<const char*, 5> kPieces = {"a", "\"\\\n\x01", "\xc3\xa9",
                                                      "\xf0\x9f\x98\x80", "text "};
      std::string text;
      for (std::size_t i = random() % 5; i > 0; --i) text += kPieces[random() % kPieces.size()];
      return visitor.text(type, text);
    }
    case Kind::array:
    case Kind::sequence: {
      std::size_t count = type.kind == Kind::array ? type.length : random() % 5;
      visitor.begin_array(type, count);
      for (std::size_t i = 0; i < count; ++i) tell_random(*type.element, random, visitor);
      return visitor.end_array();
    }
    case Kind::structure:
      visitor.begin_struct(type);
      for (const Field& field : type.fields) {
        visitor.field(field);
        if (field.is_optional && random() % 2 == 0) {
          visitor.nothing(*field.type);
        } else {
          tell_random(*field.type, random, visitor);
        }
      }
      return visitor.end_struct();
    default:
      return visitor.unsigned_integer(type, bits & mask);
  }
}

}  // namespace kitbag::test
