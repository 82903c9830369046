#pragma once

#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kitbag/kitbag.h"

/// What is fuzzed: everything in the registry that is given bytes from outside, the texts that
/// people type, and what comes by network and socket. Errors are what bad input ends in; anything
/// else is a find.
namespace kitbag::fuzz {

struct Target {
  std::function<void(ByteView)> run;
  /// Good inputs to begin with.
  std::function<std::vector<std::string>()> seeds;
};

/// Bad input ends in an Error.
template <class Function>
void try_it(const Function& function) {
  try {
    function();
  } catch (const Error&) {
  }
}

/// Ends the process as a find.
inline void require(bool holds) {
  if (!holds) std::abort();
}

/// By name: "format-mcap", "codec-cdr", "language-ros2idl", "text-expression", "ros2-endpoint".
std::map<std::string, Target> targets();

/// That of payloads which become rows of columns.
void add_columns(std::map<std::string, Target>& all);
/// Those of what clients of the server send, behind its parser of HTTP, and with it.
void add_http(std::map<std::string, Target>& all);
void add_http_connection(std::map<std::string, Target>& all);
/// That of messages with a picture.
void add_picture(std::map<std::string, Target>& all);
/// Those of tables that become messages.
void add_tables(std::map<std::string, Target>& all);
/// Those of what comes from systems of ROS 2.
void add_ros2(std::map<std::string, Target>& all);

}  // namespace kitbag::fuzz
