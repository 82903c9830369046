#include "language/protobuf/defaults.h"

#include <clocale>
#include <cstdlib>
#include <string>

// protoc writes decimal numbers. Other writers may write whatever protobuf's own library reads,
// which is what strtoll() and strtod() read, so these are used here too. A number that is too large
// for its field loses its high bits there, and here.

namespace kitbag::protobuf {

namespace {

bool is_whole(const std::string& text, const char* end) {
  return !text.empty() && *end == '\0';
}

bool parse_signed(const std::string& text, std::int64_t& value) {
  char* end = nullptr;
  value = std::strtoll(text.c_str(), &end, 0);
  return is_whole(text, end);
}

bool parse_unsigned(const std::string& text, std::uint64_t& value) {
  char* end = nullptr;
  value = std::strtoull(text.c_str(), &end, 0);
  return is_whole(text, end);
}

/// With a point, whatever the locale of the process.
bool parse_real(const std::string& text, double& value) {
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  char* end = nullptr;
  value = strtod_l(text.c_str(), &end, plain);
  return is_whole(text, end);
}

}  // namespace

bool parse_default(const FieldDescriptor& field, std::optional<Literal>& value) {
  std::string text(*field.default_value);
  std::int64_t with_sign = 0;
  std::uint64_t without_sign = 0;
  double real = 0;
  switch (*field.type) {
    case FieldType::boolean:
      value = Literal{text == "true"};
      return text == "true" || text == "false";
    case FieldType::int32:
    case FieldType::sint32:
    case FieldType::sfixed32:
      if (!parse_signed(text, with_sign)) return false;
      value = Literal{std::int64_t{static_cast<std::int32_t>(with_sign)}};
      return true;
    case FieldType::int64:
    case FieldType::sint64:
    case FieldType::sfixed64:
      if (!parse_signed(text, with_sign)) return false;
      value = Literal{with_sign};
      return true;
    case FieldType::uint32:
    case FieldType::fixed32:
      if (!parse_unsigned(text, without_sign)) return false;
      value = Literal{std::uint64_t{static_cast<std::uint32_t>(without_sign)}};
      return true;
    case FieldType::uint64:
    case FieldType::fixed64:
      if (!parse_unsigned(text, without_sign)) return false;
      value = Literal{without_sign};
      return true;
    case FieldType::real32:
      if (!parse_real(text, real)) return false;
      value = Literal{static_cast<double>(static_cast<float>(real))};
      return true;
    case FieldType::real64:
      if (!parse_real(text, real)) return false;
      value = Literal{real};
      return true;
    case FieldType::enumeration:
      if (!field.default_enumerator) return false;
      value = Literal{std::int64_t{field.default_enumerator->number}};
      return true;
    case FieldType::text:
      value = Literal{text};
      return true;
    default:
      return true;
  }
}

}  // namespace kitbag::protobuf
