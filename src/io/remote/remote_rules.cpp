#include "kitbag/remote_rules.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "kitbag/error.h"

// What is compared must be what is requested: if a URL means one host here and another one to the
// library that connects, the rules are worth nothing. So whatever is not plain is refused: users
// and passwords, backslashes, spaces, letters beyond ASCII in the host, "..", and encoded slashes.
//
// Prefixes are compared by whole segments, after decoding: "https://host/bags" allows nothing in
// "https://host/bags-of-others", and "%62ags" is "bags".

namespace kitbag {
namespace {

/// The parts of an address.
struct Parts {
  std::string scheme;
  std::string host;
  std::uint16_t port = 0;
  std::vector<std::string> path;
};

bool is_plain_host(std::string_view host) {
  bool is_numeric = host.starts_with('[') && host.ends_with(']');
  if (is_numeric) host = host.substr(1, host.size() - 2);
  std::string_view allowed =
      is_numeric ? "0123456789abcdef:." : "abcdefghijklmnopqrstuvwxyz0123456789.-_";
  return !host.empty() && host.find_first_not_of(allowed) == std::string_view::npos;
}

std::string lowered(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

/// With %XX decoded; nothing if it hides a separator.
std::optional<std::string> decoded(std::string_view segment) {
  std::string text;
  for (std::size_t i = 0; i < segment.size(); ++i) {
    if (segment[i] != '%') {
      text += segment[i];
      continue;
    }
    unsigned value = 0;
    if (i + 3 > segment.size()) return std::nullopt;
    const char* end = segment.data() + i + 3;
    auto [stop, error] = std::from_chars(segment.data() + i + 1, end, value, 16);
    if (error != std::errc() || stop != end) return std::nullopt;
    if (value < 0x20 || value == '/' || value == '\\') return std::nullopt;
    text += static_cast<char>(value);
    i += 2;
  }
  return text;
}

std::optional<std::vector<std::string>> segments_of(std::string_view path, bool is_encoded) {
  std::vector<std::string> segments;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    std::size_t end = std::min(path.find('/'), path.size());
    auto segment = is_encoded ? decoded(path.substr(0, end)) : std::string(path.substr(0, end));
    if (!segment || *segment == "." || *segment == "..") return std::nullopt;
    segments.push_back(std::move(*segment));
    path.remove_prefix(end);
  }
  return segments;
}

/// Nothing for an address that is not plain.
std::optional<Parts> parts_of(std::string_view uri) {
  bool has_odd = std::any_of(uri.begin(), uri.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\';
  });
  std::size_t end = uri.find("://");
  if (has_odd || end == std::string_view::npos) return std::nullopt;
  Parts parts;
  parts.scheme = lowered(uri.substr(0, end));
  bool is_web = parts.scheme == "http" || parts.scheme == "https";
  if (!is_web && parts.scheme != "s3") return std::nullopt;
  std::string_view rest = uri.substr(end + 3);
  if (is_web) rest = rest.substr(0, rest.find_first_of("?#"));
  std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string authority = lowered(rest.substr(0, slash));
  if (is_web) {
    parts.port = parts.scheme == "http" ? 80 : 443;
    std::size_t colon = authority.rfind(':');
    std::size_t bracket = authority.rfind(']');
    bool has_port = colon != std::string::npos && (bracket == std::string::npos || colon > bracket);
    if (has_port) {
      const char* begin = authority.data() + colon + 1;
      const char* stop = authority.data() + authority.size();
      auto [last, error] = std::from_chars(begin, stop, parts.port);
      if (error != std::errc() || last != stop || parts.port == 0) return std::nullopt;
      authority.resize(colon);
    }
  } else {
    authority = std::string(rest.substr(0, slash));  // names of buckets have upper case, too
  }
  parts.host = authority;
  if (!is_plain_host(lowered(authority))) return std::nullopt;
  auto segments = segments_of(rest.substr(slash), is_web);
  if (!segments) return std::nullopt;
  parts.path = std::move(*segments);
  return parts;
}

/// "127.0.0.1" of the same, "::1" of "[::1]"; empty for a name.
std::string literal_of(std::string host) {
  std::array<unsigned char, 16> bytes{};
  if (host.starts_with('[')) {
    host = host.substr(1, host.size() - 2);
    return ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1 ? host : "";
  }
  return ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ? host : "";
}

bool is_below(std::string_view uri, std::string_view trusted) {
  if (!uri.starts_with(trusted)) return false;
  std::string_view rest = uri.substr(trusted.size());
  return rest.empty() || trusted.ends_with('/') || rest.starts_with('/') || rest == ".active" ||
         rest == ".events.json";  // what is looked for beside a bag
}

/// Without what may be secret.
std::string shown(std::string_view uri) {
  auto parts = parts_of(uri);
  if (!parts) return std::string(uri.substr(0, uri.find("://"))) + "://...";
  std::string text = fmt::format("{}://{}", parts->scheme, parts->host);
  for (const std::string& segment : parts->path) text += "/" + segment;
  return text;
}

}  // namespace

RemoteRules::RemoteRules(std::vector<std::string> trusted, const std::vector<std::string>& prefixes)
    : trusted_(std::move(trusted)) {
  for (const std::string& text : prefixes) {
    auto parts = parts_of(text);
    bool is_plain = parts && text.find_first_of(parts->scheme == "s3" ? "#" : "?#") == text.npos;
    if (!is_plain) {
      throw Error(ErrorCode::invalid,
                  "not a prefix of remote addresses; use one such as https://host/bags/ or "
                  "s3://bucket/folder, without a user, \"..\" or parameters",
                  shown(text));
    }
    std::vector<std::string> path = std::move(parts->path);
    if (!path.empty() && path.back().empty()) path.pop_back();
    prefixes_.push_back({parts->scheme, parts->host, parts->port, std::move(path),
                         parts->scheme == "s3" ? std::string() : literal_of(parts->host)});
  }
}

RemoteRules::Verdict RemoteRules::check(std::string_view uri) const {
  for (const std::string& trusted : trusted_) {
    if (is_below(uri, trusted)) return {};
  }
  return check_stranger(uri);
}

RemoteRules::Verdict RemoteRules::check_stranger(std::string_view uri) const {
  auto parts = parts_of(uri);
  for (const Prefix& prefix : prefixes_) {
    if (!parts) break;
    bool is_there = parts->scheme == prefix.scheme && parts->host == prefix.host &&
                    parts->port == prefix.port && parts->path.size() >= prefix.path.size();
    if (is_there && std::equal(prefix.path.begin(), prefix.path.end(), parts->path.begin())) {
      return {true, prefix.literal};
    }
  }
  throw Error(ErrorCode::invalid, "this address is not among those that may be read", shown(uri));
}

}  // namespace kitbag
