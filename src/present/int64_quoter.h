#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "kitbag/codec.h"

namespace kitbag {

/// Passes everything on, but integers of 64 bits as texts.
class Int64Quoter final : public LeafVisitor<Int64Quoter> {
 public:
  explicit Int64Quoter(Visitor& target) : target_(target) {}

  void begin_struct(const Type& type) override { target_.begin_struct(type); }
  void field(const Field& field) override { target_.field(field); }
  void end_struct() override { target_.end_struct(); }
  void begin_array(const Type& type, std::size_t count) override {
    target_.begin_array(type, count);
  }
  void end_array() override { target_.end_array(); }
  void packed(const Type& type, ByteView bytes) override {
    if (is_scalar(type.kind) && !is_wide(type)) return target_.packed(type, bytes);
    unpack(type, bytes, *this);
  }
  template <class Value>
  void leaf(const Type& type, Value value) {
    constexpr bool kIsInteger =
        std::is_same_v<Value, std::int64_t> || std::is_same_v<Value, std::uint64_t>;
    if constexpr (kIsInteger) {
      if (is_wide(type)) {
        return target_.text(builtin_type(Kind::text), fmt::format_int(value).c_str());
      }
    }
    visit_leaf(type, value, target_);
  }

 private:
  static bool is_wide(const Type& type) {
    Kind kind = type.kind == Kind::enumeration ? type.base : type.kind;
    return kind == Kind::int64 || kind == Kind::uint64;
  }

  Visitor& target_;
};

}  // namespace kitbag
