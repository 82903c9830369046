#include "language/ros2idl/annotations.h"

#include <openssl/evp.h>

#include <array>
#include <charconv>

// Annotations that say nothing of payloads or members are read and dropped. An id that is a hash is
// the first four bytes of the MD5 sum of the name, little-endian, without the upper four bits,
// which a member's header in XCDR2 needs for flags and length. Ids that are not given count on from
// the member before, also from one with @id, and from the last inherited one.

namespace kitbag::ros2idl {

namespace {

/// Bits of a member id that is a hash of a name (XTypes 1.3, 7.3.1.2.1.1).
constexpr std::uint32_t kHashMask = 0x0fffffff;

}  // namespace

const Annotation* find(const Annotations& annotations, std::string_view name) {
  for (const Annotation& each : annotations) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

bool is_autoid_hash(const Annotations& annotations) {
  const Annotation* autoid = find(annotations, "autoid");
  return autoid && (!autoid->value() || autoid->value()->text == "HASH");
}

std::int64_t bit_bound(const Annotations& annotations) {
  const Annotation* bound = find(annotations, "bit_bound");
  std::int64_t bits = 32;
  if (bound && bound->value()) {
    const std::string& text = bound->value()->text;
    std::from_chars(text.data(), text.data() + text.size(), bits);
  }
  return bits;
}

Extensibility extensibility_of(const Annotations& annotations, Extensibility by_default) {
  if (find(annotations, "mutable")) return Extensibility::by_id;
  if (find(annotations, "appendable")) return Extensibility::appendable;
  if (find(annotations, "final")) return Extensibility::fixed;
  const Annotation* named = find(annotations, "extensibility");
  if (!named || !named->value()) return by_default;
  const std::string& value = named->value()->text;
  if (value == "MUTABLE") return Extensibility::by_id;
  return value == "APPENDABLE" ? Extensibility::appendable : Extensibility::fixed;
}

void number_members(std::vector<Field>& fields, const std::vector<Annotations>& annotations,
                    bool is_hashed) {
  auto hash = [](const std::string& text) {
    std::array<unsigned char, 16> digest;
    // A checksum that XTypes prescribes; nothing is kept safe by it.
    EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_md5(), nullptr);
    std::uint32_t id = 0;
    for (std::size_t i = 4; i-- > 0;) id = id << 8 | digest[i];
    return id & kHashMask;
  };
  std::size_t begin = fields.size() - annotations.size();
  std::uint32_t next = begin == 0 ? 0 : fields[begin - 1].id + 1;
  for (std::size_t i = 0; i < annotations.size(); ++i) {
    Field& field = fields[begin + i];
    const Annotation* id = find(annotations[i], "id");
    const Annotation* hash_id = find(annotations[i], "hashid");
    field.id = is_hashed ? hash(field.name) : next;
    if (hash_id) field.id = hash(hash_id->value() ? hash_id->value()->text : field.name);
    if (id && id->value()) {
      const std::string& text = id->value()->text;
      bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
      const char* first = text.data() + (is_hexadecimal ? 2 : 0);
      std::from_chars(first, text.data() + text.size(), field.id, is_hexadecimal ? 16 : 10);
    }
    next = field.id + 1;
  }
}

Literal literal_of(const Type& type, const std::vector<Token>& tokens) {
  if (tokens.empty()) return Literal{std::int64_t{0}};
  const Token& first = tokens.front();
  bool is_negative = first.text == "-" && tokens.size() > 1;
  const std::string& text = is_negative ? tokens[1].text : first.text;
  if (is_text(type.kind)) return Literal{first.text};
  if (type.kind == Kind::boolean) return Literal{text == "TRUE" || text == "true"};
  if (type.kind == Kind::enumeration) {
    std::string own = tokens.back().text;
    for (const Enumerator& one : type.enumerators) {
      if (one.name == own) return Literal{one.value};
    }
  }
  if (is_real(type.kind)) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return Literal{is_negative ? -value : value};
  }
  std::uint64_t value = 0;
  bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const char* begin = text.data() + (is_hexadecimal ? 2 : 0);
  std::from_chars(begin, text.data() + text.size(), value, is_hexadecimal ? 16 : 10);
  if (type.kind == Kind::uint64) return Literal{value};
  auto number = static_cast<std::int64_t>(value);
  return Literal{is_negative ? -number : number};
}

}  // namespace kitbag::ros2idl
