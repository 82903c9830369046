#include "transport/broker/address.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "kitbag/error.h"

// The URI may hold secrets, and it is shown in errors and stored in bags. So what is shown ends
// before the parameters, and an error about a parameter names it but never prints its value. A user
// and a password in front of the host are refused, in an error that does not repeat them.
//
// A parameter that is not known is refused, too: a misspelled "ca" or "qos" would otherwise change
// in silence what is trusted, or what gets lost. A value with a zero byte is refused, because the C
// libraries behind this would read it only up to there.

namespace kitbag::broker {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with('/')) text.remove_prefix(1);
  while (text.ends_with('/')) text.remove_suffix(1);
  return text;
}

}  // namespace

Address address_of(const Location& location, std::uint16_t usual_port) {
  std::string_view path = location.path;
  std::string_view place = path.substr(0, path.find('/'));
  Address address;
  address.shown = fmt::format("{}://{}", location.scheme, path);
  auto refuse = [&](const std::string& what) {
    throw Error(ErrorCode::invalid, what, address.shown);
  };
  auto refuse_user = [&] {
    address.shown = fmt::format("{}://{}", location.scheme, path.substr(path.rfind('@') + 1));
    refuse(
        "user and password do not belong in front of the host; use the parameters user and "
        "password, or the environment");
  };
  if (place.find('@') != std::string_view::npos) refuse_user();
  address.prefix = trimmed(path.substr(place.size()));
  address.port = usual_port;
  std::size_t colon = place.rfind(':');
  // An IPv6 address has colons of its own, so only one behind the bracket separates the port.
  if (place.starts_with('[')) {
    std::size_t end = place.find(']');
    if (end == std::string_view::npos) refuse("invalid address; expected [IPV6]:PORT");
    address.host = place.substr(1, end - 1);
    colon = end + 1 < place.size() ? end + 1 : std::string_view::npos;
  } else {
    address.host = place.substr(0, colon);
  }
  if (colon != std::string_view::npos) {
    std::string_view port = place.substr(colon + 1);
    auto parsed = std::from_chars(port.data(), port.data() + port.size(), address.port);
    bool is_number = parsed.ec == std::errc() && parsed.ptr == port.data() + port.size();
    // "user:pa/ss@host": the password is in the prefix, and must not be shown either.
    bool has_user = !is_number && path.find('@') != std::string_view::npos;
    if (has_user) refuse_user();
    if (!is_number || address.port == 0) refuse("invalid port");
  }
  bool has_zero = location.path.find('\0') != std::string::npos;
  if (address.host.empty() || has_zero) {
    refuse(fmt::format("invalid address; expected for example {}://127.0.0.1:{}", location.scheme,
                       usual_port));
  }
  return address;
}

Parameters::Parameters(const Location& location, std::string shown,
                       const std::vector<std::string_view>& known)
    : location_(location), shown_(std::move(shown)) {
  for (const auto& [name, value] : location_.parameters) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      refuse(fmt::format("unknown parameter \"{}\"; supported parameters: {}", name,
                         fmt::join(known, ", ")));
    }
    if (value.find('\0') != std::string::npos) {
      refuse(fmt::format("invalid parameter {}; it contains a zero byte", name));
    }
  }
}

std::string Parameters::text(const std::string& name) const {
  auto found = location_.parameters.find(name);
  return found == location_.parameters.end() ? std::string() : found->second;
}

std::string Parameters::secret(const std::string& name, const std::string& variable) const {
  std::string given = text(name);
  const char* value = given.empty() ? std::getenv(variable.c_str()) : nullptr;
  return value ? value : given;
}

std::string Parameters::file(const std::string& name) const {
  std::string path = text(name);
  if (path.empty()) return path;
  // The stream keeps no reason; errno has that of the system call which it made.
  errno = 0;
  if (!std::ifstream(path)) {
    throw Error(
        errno == ENOENT ? ErrorCode::not_found : ErrorCode::io,
        fmt::format("cannot read the file of the parameter {}: {}", name, std::strerror(errno)),
        path);
  }
  return path;
}

bool Parameters::choice(const std::string& name, std::string_view no, std::string_view yes) const {
  auto found = location_.parameters.find(name);
  if (found == location_.parameters.end()) return false;
  if (found->second != no && found->second != yes) {
    refuse(fmt::format("invalid parameter {}; expected {} or {}", name, no, yes));
  }
  return found->second == yes;
}

std::uint64_t Parameters::number(const std::string& name, std::uint64_t usual, std::uint64_t least,
                                 std::uint64_t most) const {
  auto found = location_.parameters.find(name);
  if (found == location_.parameters.end()) return usual;
  const std::string& text = found->second;
  std::uint64_t value = 0;
  auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  bool is_number = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
  if (!is_number || value < least || value > most) {
    refuse(fmt::format("invalid parameter {}; expected a number from {} to {}", name, least, most));
  }
  return value;
}

void Parameters::refuse(const std::string& what) const {
  throw Error(ErrorCode::invalid, what, shown_);
}

}  // namespace kitbag::broker
