#include <kitbag/error.h>

#include <bit>
#include <cstring>
#include <vector>

#include "cbor.h"

namespace cbor {
namespace {

using kitbag::Kind;
using kitbag::Type;

class Encoder final : public kitbag::Encoder {
 public:
  void begin(kitbag::Arena& arena) override {
    arena_ = &arena;
    arena.begin();
    levels_.clear();
  }
  kitbag::ByteView end() override { return arena_->end(); }

  void begin_struct(const Type& type) override {
    // The number of fields is not known; a structure has all, and other maps are closed by a break.
    bool is_counted = type.kind == Kind::structure;
    if (is_counted) {
      head(Major::map, type.fields.size());
    } else {
      put(first_byte(Major::map, additional::kIndefinite));
    }
    levels_.push_back(is_counted ? Level::counted : Level::open);
  }
  void field(const kitbag::Field& field) override { put_text(field.name); }
  void end_struct() override { end_level(); }

  void begin_array(const Type& type, std::size_t count) override {
    const Type* element = type.element;
    bool is_bytes = element && kitbag::is_byte(element->kind);
    auto tag = element ? tag_of(*element) : std::nullopt;
    if (is_bytes || tag) {
      if (!is_bytes) head(Major::tag, *tag);
      head(Major::bytes, count * kitbag::scalar_bytes(element->kind));
      levels_.push_back(Level::raw);
    } else {
      head(Major::array, count);
      levels_.push_back(Level::counted);
    }
  }
  void end_array() override { end_level(); }

  void boolean(const Type&, bool value) override {
    put(first_byte(Major::simple, value ? additional::kTrue : additional::kFalse));
  }
  void integer(const Type& type, std::int64_t value) override {
    if (is_raw()) return put_raw(type, static_cast<std::uint64_t>(value));
    if (value < 0) return head(Major::negative_integer, ~static_cast<std::uint64_t>(value));
    head(Major::unsigned_integer, static_cast<std::uint64_t>(value));
  }
  void unsigned_integer(const Type& type, std::uint64_t value) override {
    if (is_raw()) return put_raw(type, value);
    head(Major::unsigned_integer, value);
  }
  void real(const Type& type, double value) override {
    if (type.kind == Kind::float32) {
      auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
      if (is_raw()) return put_raw(type, bits);
      put(first_byte(Major::simple, additional::kSingle));
      put_big_endian(bits, sizeof bits);
    } else {
      auto bits = std::bit_cast<std::uint64_t>(value);
      if (is_raw()) return put_raw(type, bits);
      put(first_byte(Major::simple, additional::kDouble));
      put_big_endian(bits, sizeof bits);
    }
  }
  void text(const Type&, std::string_view value) override { put_text(value); }
  void nothing(const Type&) override { put(first_byte(Major::simple, additional::kNull)); }

  void packed(const Type& type, kitbag::ByteView bytes) override {
    if (!is_raw()) return kitbag::unpack(type, bytes, *this);
    arena_->put(bytes);
  }

 private:
  enum class Level : std::uint8_t {
    counted,
    open,  ///< a break ends it
    raw,   ///< elements are bytes of one string
  };

  static std::uint8_t first_byte(Major major, std::uint8_t low) {
    return static_cast<std::uint8_t>(static_cast<unsigned>(major) << 5 | low);
  }

  bool is_raw() const { return !levels_.empty() && levels_.back() == Level::raw; }

  void end_level() {
    if (levels_.back() == Level::open) put(first_byte(Major::simple, additional::kIndefinite));
    levels_.pop_back();
  }

  void put(std::uint8_t byte) { *arena_->extend(1) = std::byte{byte}; }

  void put_big_endian(std::uint64_t value, std::size_t size) {
    for (std::size_t i = size; i-- > 0;) put(static_cast<std::uint8_t>(value >> (8 * i)));
  }

  void put_raw(const Type& type, std::uint64_t value) {
    std::size_t size = kitbag::scalar_bytes(type.kind);
    std::memcpy(arena_->extend(size), &value, size);  // little-endian, as the machine is
  }

  void head(Major major, std::uint64_t argument) {
    if (argument < additional::kOneByte) {
      return put(first_byte(major, static_cast<std::uint8_t>(argument)));
    }
    unsigned power = argument <= 0xff ? 0 : argument <= 0xffff ? 1 : argument <= 0xffffffff ? 2 : 3;
    put(first_byte(major, static_cast<std::uint8_t>(additional::kOneByte + power)));
    put_big_endian(argument, std::size_t{1} << power);
  }

  void put_text(std::string_view text) {
    head(Major::text, text.size());
    arena_->put(kitbag::as_bytes(text));
  }

  kitbag::Arena* arena_ = nullptr;
  std::vector<Level> levels_;
};

}  // namespace

std::unique_ptr<kitbag::Encoder> make_encoder(const kitbag::TypePtr&, const kitbag::CodecOptions&) {
  return std::make_unique<Encoder>();
}

}  // namespace cbor
