#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/registry.h"

namespace kitbag::broker {

/// Where a broker is, of "SCHEME://HOST:PORT/PREFIX".
struct Address {
  std::string host;
  std::uint16_t port = 0;
  std::string prefix;  ///< of topics; without slashes at its ends
  std::string shown;   ///< the URI for messages: without parameters
};

/// Throws Error (invalid), also for a user or password in front of the host: they would be in
/// messages and in bags.
Address address_of(const Location& location, std::uint16_t usual_port);

/// What came with a URI behind the "?". Its functions throw Error (invalid) with the URI that is
/// shown, and never print a value.
class Parameters {
 public:
  /// Throws Error (invalid) for a parameter that is not in `known`.
  Parameters(const Location& location, std::string shown,
             const std::vector<std::string_view>& known);

  /// Empty: it is not given.
  std::string text(const std::string& name) const;
  /// As text(); if it is not given, the environment's variable, so that it is in no list of
  /// processes.
  std::string secret(const std::string& name, const std::string& variable) const;
  /// As text(): the path of a file that can be read. Throws Error: not_found, io.
  std::string file(const std::string& name) const;
  /// Of two values: whether it is `yes`. Not given: `no`.
  bool choice(const std::string& name, std::string_view no, std::string_view yes) const;
  /// A whole number.
  std::uint64_t number(const std::string& name, std::uint64_t usual, std::uint64_t least,
                       std::uint64_t most) const;

  [[noreturn]] void refuse(const std::string& what) const;

 private:
  const Location& location_;
  std::string shown_;
};

}  // namespace kitbag::broker
