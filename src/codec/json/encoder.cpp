#include "codec/json/encoder.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "base/printable.h"
#include "codec/json/base64.h"
#include "kitbag/escape.h"

// JSON has no bytes, no NaN, and no integers as such. What stands for these must come back as it
// was: bytes are base64, NaN and the infinities are texts, integers have all their digits (a reader
// that makes doubles of them loses those above 2^53), and a real is the shortest text that gives it
// back, computed for a float as a float. A real without a fraction looks like an integer then, and
// only the schema tells them apart.
//
// Bytes may come packed or one by one. They are gathered, because base64 makes four characters of
// three bytes and cannot be cut where the calls are.

namespace kitbag::json {

namespace {

/// The longest number: a double with sign, 17 digits, point and exponent.
constexpr std::size_t kMostNumberBytes = 32;

class Encoder final : public kitbag::Encoder {
 public:
  explicit Encoder(const CodecOptions& options) : options_(options) {}

  void begin(Arena& arena) override {
    arena_ = &arena;
    arena.begin();
    levels_.clear();
  }

  ByteView end() override { return arena_->end(); }

  void begin_struct(const Type&) override {
    separate();
    put("{");
    levels_.push_back({Open::object, true});
  }

  void field(const Field& field) override {
    if (!levels_.back().is_first) put(",");
    levels_.back().is_first = false;
    put_string(field.name);
    put(":");
  }

  void end_struct() override {
    put("}");
    levels_.pop_back();
  }

  void begin_array(const Type& type, std::size_t) override {
    separate();
    bool is_string =
        type.element && is_byte(type.element->kind) && options_.bytes != CodecOptions::Bytes::array;
    if (!is_string) {
      put("[");
      levels_.push_back({Open::list, true});
    } else if (options_.bytes == CodecOptions::Bytes::omit) {
      levels_.push_back({Open::omitted, true});
    } else {
      bytes_.clear();
      levels_.push_back({Open::bytes, true});
    }
  }

  void end_array() override {
    Open open = levels_.back().open;
    levels_.pop_back();
    if (open == Open::list) return put("]");
    if (open == Open::omitted) return put("null");
    put("\"");
    put_base64(bytes_, *arena_);
    put("\"");
  }

  void boolean(const Type&, bool value) override {
    separate();
    put(value ? "true" : "false");
  }

  void integer(const Type&, std::int64_t value) override { put_integer(value); }
  void unsigned_integer(const Type&, std::uint64_t value) override { put_integer(value); }

  void real(const Type& type, double value) override {
    separate();
    if (type.kind == Kind::float32) {
      put_real(static_cast<float>(value));
    } else {
      put_real(value);
    }
  }

  void text(const Type&, std::string_view value) override {
    separate();
    put_string(value);
  }

  void nothing(const Type&) override {
    separate();
    put("null");
  }

  void packed(const Type& type, ByteView bytes) override {
    Open open = levels_.empty() ? Open::object : levels_.back().open;
    if (open == Open::omitted) return;
    if (open == Open::bytes) {
      bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
      return;
    }
    switch (type.kind) {
      case Kind::int8:
        return put_numbers<std::int8_t>(bytes);
      case Kind::uint8:
      case Kind::octet:
      case Kind::character:
        return put_numbers<std::uint8_t>(bytes);
      case Kind::int16:
        return put_numbers<std::int16_t>(bytes);
      case Kind::uint16:
      case Kind::wide_char:
        return put_numbers<std::uint16_t>(bytes);
      case Kind::int32:
        return put_numbers<std::int32_t>(bytes);
      case Kind::uint32:
        return put_numbers<std::uint32_t>(bytes);
      case Kind::int64:
        return put_numbers<std::int64_t>(bytes);
      case Kind::uint64:
        return put_numbers<std::uint64_t>(bytes);
      case Kind::float32:
        return put_numbers<float>(bytes);
      case Kind::float64:
        return put_numbers<double>(bytes);
      default:
        unpack(type, bytes, *this);
    }
  }

 private:
  /// What is being written: an object, a list, or bytes that become one string.
  enum class Open : char { object, list, bytes, omitted };
  struct Level {
    Open open;
    bool is_first;
  };

  void put(std::string_view text) { arena_->put(as_bytes(text)); }

  /// The comma before a value of a list.
  void separate() {
    if (levels_.empty() || levels_.back().open != Open::list) return;
    if (!levels_.back().is_first) put(",");
    levels_.back().is_first = false;
  }

  void put_string(std::string_view text) {
    // Nearly all texts need no escape, and are copied in one piece.
    if (plain_length(text) == text.size()) {
      put("\"");
      put(text);
      put("\"");
      return;
    }
    std::size_t replaced = 0;
    put(json_quoted(text, &replaced));
    replaced_bytes_ += replaced;
  }

  template <class T>
  void put_number(T value) {
    char* begin = reinterpret_cast<char*>(arena_->extend(kMostNumberBytes));
    char* end = std::to_chars(begin, begin + kMostNumberBytes, value).ptr;
    arena_->shrink(kMostNumberBytes - static_cast<std::size_t>(end - begin));
  }

  template <class T>
  void put_integer(T value) {
    Open open = levels_.empty() ? Open::object : levels_.back().open;
    if (open == Open::omitted) return;
    if (open == Open::bytes) {
      bytes_.push_back(static_cast<std::byte>(value));
      return;
    }
    separate();
    put_number(value);
  }

  /// Of one that is not finite.
  template <class T>
  bool is_null(T value) const {
    using NotANumber = CodecOptions::NotANumber;
    return options_.not_a_number == NotANumber::null ||
           (options_.not_a_number == NotANumber::null_nan && std::isnan(value));
  }

  template <class T>
  void put_real(T value) {
    if (value == 0 && std::signbit(value)) {
      put("-0.0");  // "-0" would come back as an integer
    } else if (std::isfinite(value)) {
      put_number(value);
    } else if (is_null(value)) {
      put("null");
    } else {
      put(std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    }
  }

  template <class T>
  void put_numbers(ByteView bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
      T value;
      std::memcpy(&value, bytes.data() + at, sizeof value);
      separate();
      if constexpr (std::is_floating_point_v<T>) {
        put_real(value);
      } else {
        put_number(value);
      }
    }
  }

  CodecOptions options_;
  Arena* arena_ = nullptr;
  std::vector<Level> levels_;
  std::vector<std::byte> bytes_;  ///< of the string that is being gathered
};

}  // namespace

std::unique_ptr<kitbag::Encoder> make_encoder(const CodecOptions& options) {
  return std::make_unique<Encoder>(options);
}

}  // namespace kitbag::json
