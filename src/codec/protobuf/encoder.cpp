#include "codec/protobuf/encoder.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <vector>

#include "base/protobuf_wire.h"
#include "base/utf8.h"
#include "codec/protobuf/wire.h"
#include "kitbag/escape.h"

// A length precedes the content that it measures, and is known only after it: content is written
// directly after its tag, and moved by the few bytes of its length when it is complete. Lists of
// bytes and of fixed-width numbers, which may be long, know their length when they begin and are
// not moved.

namespace kitbag::protobuf {

namespace {

class Encoder final : public kitbag::Encoder {
 public:
  explicit Encoder(const TypePtr& type) : type_(type) { require_protobuf(*type_); }

  void begin(Arena& arena) override {
    arena_ = &arena;
    arena.begin();
    levels_.clear();
  }

  ByteView end() override { return arena_->end(); }

  void begin_struct(const Type&) override {
    if (levels_.empty()) {
      levels_.push_back({Open::message, false});
    } else {
      begin_sized(Open::message);
    }
  }

  void field(const Field& field) override { levels_.back().plan = &plan_for(field); }

  void end_struct() override {
    if (levels_.back().is_sized) return end_sized();
    levels_.pop_back();
  }

  void begin_array(const Type& type, std::size_t count) override {
    const FieldPlan& plan = *levels_.back().plan;
    bool is_bytes = type.element && is_byte(type.element->kind) &&
                    (plan.wire == Wire::bytes || !plan.is_repeated);
    std::size_t width = plan.wire == Wire::fixed32   ? sizeof(std::uint32_t)
                        : plan.wire == Wire::fixed64 ? sizeof(std::uint64_t)
                                                     : 0;
    if (is_bytes || (plan.is_repeated && width > 0)) {
      // Bytes that are empty are left out like a zero, unless that would mean that there are none.
      bool has_presence = !is_bytes || count > 0 || plan.is_repeated || plan.field->is_optional;
      if (count > 0 || (is_bytes && has_presence)) {
        tag(kSized);
        varint(count * (is_bytes ? 1 : width));
      }
      levels_.push_back({Open::packed, false, 0, &plan});
    } else if (is_packable(plan.wire) && count > 0) {
      begin_sized(Open::packed);
    } else {
      levels_.push_back({Open::list, false, 0, &plan});
    }
  }

  void end_array() override {
    if (levels_.back().is_sized) return end_sized();
    levels_.pop_back();
  }

  void boolean(const Type&, bool value) override { number(value ? 1 : 0, !value); }

  void integer(const Type&, std::int64_t value) override {
    number(static_cast<std::uint64_t>(value), value == 0);
  }

  void unsigned_integer(const Type&, std::uint64_t value) override { number(value, value == 0); }

  void real(const Type& type, double value) override {
    bool is_zero = value == 0 && !std::signbit(value);
    if (type.kind == Kind::float32) {
      number(std::bit_cast<std::uint32_t>(static_cast<float>(value)), is_zero);
    } else {
      number(std::bit_cast<std::uint64_t>(value), is_zero);
    }
  }

  void text(const Type&, std::string_view value) override {
    std::string valid;
    if (!is_utf8(value)) {
      std::size_t replaced = 0;
      valid = valid_utf8(value, &replaced);
      replaced_bytes_ += replaced;
      value = valid;
    }
    const Level& level = levels_.back();
    const Field& field = *level.plan->field;
    bool may_be_left_out =
        level.open == Open::message && !field.is_optional && !field.default_value;
    if (value.empty() && may_be_left_out) return;
    tag(kSized);
    varint(value.size());
    put(as_bytes(value));
  }

  void nothing(const Type&) override {}

  void packed(const Type& type, ByteView bytes) override {
    if (type.kind == Kind::structure || levels_.empty()) return unpack(type, bytes, *this);
    const Level& level = levels_.back();
    // A word of the definition may make four bytes of a number that has two.
    bool is_copy = level.open == Open::packed && !level.is_sized &&
                   (level.plan->wire == Wire::bytes || is_flat(*level.plan));
    if (is_copy) return put(bytes);
    unpack(type, bytes, *this);
  }

 private:
  /// What is open: a message, a list with one tag per value, or a list in one sized field.
  enum class Open : char { message, list, packed };
  struct Level {
    Open open;
    bool is_sized;                    ///< its length goes in front of it when it ends
    std::size_t content = 0;          ///< where its content begins
    const FieldPlan* plan = nullptr;  ///< of the field that is open in it
  };

  void tag(WireType type) { varint(std::uint64_t{levels_.back().plan->field->id} << 3 | type); }

  void varint(std::uint64_t value) {
    std::size_t count = varint_bytes(value);
    store_varint(arena_->extend(count), value);
  }

  /// A field without presence is left out if it is zero; in a list, every value counts.
  void number(std::uint64_t value, bool is_zero) {
    const Level& level = levels_.back();
    const FieldPlan& plan = *level.plan;
    if (level.open == Open::message) {
      // A field that proto2 gives a default would come back as that one.
      bool may_be_left_out = !plan.field->is_optional && !plan.field->default_value;
      if (is_zero && may_be_left_out) return;
      tag(wire_type(plan.wire));
    }
    switch (plan.wire) {
      case Wire::varint:
        return varint(value);
      case Wire::zigzag: {
        std::uint64_t sign = value >> 63;
        return varint(value << 1 ^ (~sign + 1));
      }
      case Wire::fixed32:
        std::memcpy(arena_->extend(sizeof(std::uint32_t)), &value, sizeof(std::uint32_t));
        return;
      case Wire::fixed64:
        std::memcpy(arena_->extend(sizeof value), &value, sizeof value);
        return;
      default:  // of a list of bytes
        *arena_->extend(1) = static_cast<std::byte>(value);
    }
  }

  void put(ByteView bytes) { arena_->put(bytes); }

  void begin_sized(Open open) {
    tag(kSized);
    const FieldPlan* plan = levels_.back().plan;
    levels_.push_back({open, true, arena_->open().size(), plan});
  }

  void end_sized() {
    std::size_t begin = levels_.back().content;
    std::size_t size = arena_->open().size() - begin;
    std::size_t prefix = varint_bytes(size);
    arena_->extend(prefix);
    std::byte* content = arena_->open().data() + begin;
    std::memmove(content + prefix, content, size);
    store_varint(content, size);
    levels_.pop_back();
  }

  /// By the address of the field, which is part of the type that the encoder keeps.
  const FieldPlan& plan_for(const Field& field) {
    auto known = plans_.find(&field);
    if (known == plans_.end()) known = plans_.emplace(&field, plan_of(field)).first;
    return known->second;
  }

  TypePtr type_;
  std::map<const Field*, FieldPlan> plans_;
  Arena* arena_ = nullptr;
  std::vector<Level> levels_;
};

}  // namespace

std::unique_ptr<kitbag::Encoder> make_encoder(const TypePtr& type) {
  return std::make_unique<Encoder>(type);
}

}  // namespace kitbag::protobuf
