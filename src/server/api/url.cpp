#include "server/api/url.h"

#include <fmt/format.h>

#include <cctype>

namespace kitbag::server {

std::string encode_segment(std::string_view text) {
  std::string encoded;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x80 && std::isalnum(byte)) || std::string_view("-._~").find(c) != text.npos) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", byte);
    }
  }
  return encoded;
}

std::string host_text(const std::string& address) {
  return address.find(':') == std::string::npos ? address : "[" + address + "]";
}

std::string attachment_of(std::string_view name) {
  std::string plain;
  for (char c : name) {
    auto byte = static_cast<unsigned char>(c);
    bool is_plain = byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\' && c != '%';
    plain += is_plain ? c : '_';
  }
  std::string value = fmt::format("attachment; filename=\"{}\"", plain);
  if (plain != name) value += "; filename*=UTF-8''" + encode_segment(name);
  return value;
}

}  // namespace kitbag::server
