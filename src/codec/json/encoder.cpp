#include "codec/json/encoder.h"

#include <openssl/evp.h>

#include <charconv>
#include <cmath>
#include <cstring>

#include "base/printable.h"
#include "kitbag/escape.h"

namespace kitbag::json {

namespace {

/// The longest number: a double with sign, 17 digits, point and exponent.
constexpr std::size_t kMostNumberBytes = 32;

}  // namespace

void put_base64(ByteView bytes, Arena& arena) {
  constexpr std::size_t kPiece = 3 << 18;  // EVP counts in int
  for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
    ByteView piece = bytes.subspan(at, std::min(kPiece, bytes.size() - at));
    std::size_t size = (piece.size() + 2) / 3 * 4;
    // One more, for the NUL that comes too.
    auto* to = reinterpret_cast<unsigned char*>(arena.extend(size + 1));
    EVP_EncodeBlock(to, reinterpret_cast<const unsigned char*>(piece.data()),
                    static_cast<int>(piece.size()));
    arena.shrink(1);
  }
}

void Encoder::begin(Arena& arena) {
  arena_ = &arena;
  arena.begin();
  levels_.clear();
}

void Encoder::put(std::string_view text) {
  arena_->put(as_bytes(text));
}

void Encoder::separate() {
  if (levels_.empty() || levels_.back().open != Open::list) return;
  if (!levels_.back().is_first) put(",");
  levels_.back().is_first = false;
}

void Encoder::put_string(std::string_view text) {
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
void Encoder::put_number(T value) {
  char* begin = reinterpret_cast<char*>(arena_->extend(kMostNumberBytes));
  char* end = std::to_chars(begin, begin + kMostNumberBytes, value).ptr;
  arena_->shrink(kMostNumberBytes - static_cast<std::size_t>(end - begin));
}

template <class T>
void Encoder::put_real(T value) {
  if (value == 0 && std::signbit(value)) {
    put("-0.0");  // "-0" would come back as an integer
  } else if (std::isfinite(value)) {
    put_number(value);
  } else if (options_.not_a_number == CodecOptions::NotANumber::null) {
    put("null");
  } else {
    put(std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
  }
}

void Encoder::begin_struct(const Type&) {
  separate();
  put("{");
  levels_.push_back({Open::object, true});
}

void Encoder::field(const Field& field) {
  if (!levels_.back().is_first) put(",");
  levels_.back().is_first = false;
  put_string(field.name);
  put(":");
}

void Encoder::end_struct() {
  put("}");
  levels_.pop_back();
}

void Encoder::begin_array(const Type& type, std::size_t) {
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

void Encoder::end_array() {
  Open open = levels_.back().open;
  levels_.pop_back();
  if (open == Open::list) return put("]");
  if (open == Open::omitted) return put("null");
  put("\"");
  put_base64(bytes_, *arena_);
  put("\"");
}

void Encoder::boolean(const Type&, bool value) {
  separate();
  put(value ? "true" : "false");
}

void Encoder::integer(const Type&, std::int64_t value) {
  if (!levels_.empty() && levels_.back().open >= Open::bytes) {
    bytes_.push_back(static_cast<std::byte>(value));
    return;
  }
  separate();
  put_number(value);
}

void Encoder::unsigned_integer(const Type&, std::uint64_t value) {
  if (!levels_.empty() && levels_.back().open >= Open::bytes) {
    bytes_.push_back(static_cast<std::byte>(value));
    return;
  }
  separate();
  put_number(value);
}

void Encoder::real(const Type& type, double value) {
  separate();
  if (type.kind == Kind::float32) {
    put_real(static_cast<float>(value));
  } else {
    put_real(value);
  }
}

void Encoder::text(const Type&, std::string_view value) {
  separate();
  put_string(value);
}

void Encoder::nothing(const Type&) {
  separate();
  put("null");
}

template <class T>
void Encoder::put_numbers(ByteView bytes) {
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

void Encoder::packed(const Type& type, ByteView bytes) {
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

}  // namespace kitbag::json
