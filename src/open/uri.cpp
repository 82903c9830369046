#include "kitbag/open.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>

#include "kitbag/session.h"
#include "model/scheme.h"

// A path is not a URI: a file may be called "a?b" or "50%.bag". So only what has a scheme is parsed
// and decoded; everything else is a path, byte by byte. In a URI, a "%" that is not followed by two
// hex digits is taken as it is.

namespace kitbag {
namespace {

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  while (!text.empty()) {
    unsigned char byte = 0;
    const char* digits = text.data() + 1;
    if (text.size() > 2 && text[0] == '%' &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      decoded += static_cast<char>(byte);
      text.remove_prefix(3);
    } else {
      decoded += text[0];
      text.remove_prefix(1);
    }
  }
  return decoded;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kPlain = "-._~/:";
  std::string encoded;
  for (char c : text) {
    bool is_plain = std::isalnum(static_cast<unsigned char>(c)) || kPlain.find(c) < kPlain.size();
    if (is_plain) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

}  // namespace

std::optional<Location> location_of(const std::string& uri) {
  std::string_view scheme = scheme_of(uri);
  if (scheme.empty() || scheme == "file") return std::nullopt;
  Location location;
  location.uri = uri;
  location.scheme = scheme;
  std::string_view rest = std::string_view(uri).substr(scheme.size() + 3);
  std::size_t sign = std::min(rest.find('?'), rest.size());
  location.path = percent_decoded(rest.substr(0, sign));
  rest.remove_prefix(std::min(sign + 1, rest.size()));
  while (!rest.empty()) {
    std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
    std::size_t equals = std::min(pair.find('='), pair.size());
    std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
    location.parameters[percent_decoded(pair.substr(0, equals))] = percent_decoded(value);
  }
  return location;
}

std::string without_parameters(const std::string& uri) {
  return uri.substr(0, uri.find('?'));
}

std::string with_parameter(const std::string& uri, std::string_view name, std::string_view value) {
  return fmt::format("{}{}{}={}", uri, uri.find('?') == std::string::npos ? '?' : '&', name,
                     percent_encoded(value));
}

std::string Session::path_of(const std::string& uri) const {
  FileSystemPtr files = file_system(uri);
  if (!files->is_local() || scheme_of(uri).empty()) return uri;
  std::string_view rest = std::string_view(uri).substr(files->scheme().size() + 3);
  // RFC 8089: file:///PATH and file://localhost/PATH mean this host, any other name means another
  // one.
  constexpr std::string_view kHere = "localhost/";
  if (rest.starts_with(kHere)) rest.remove_prefix(kHere.size() - 1);
  if (!rest.starts_with('/')) {
    throw Error(ErrorCode::invalid, "files on other hosts are not supported; use file:///PATH",
                uri);
  }
  return percent_decoded(rest);
}

}  // namespace kitbag
