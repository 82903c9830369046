#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kitbag/bytes.h"

namespace kitbag {

/// A program that has ended, and what it said.
struct Finished {
  int exit_code = 0;  ///< 128 and more: ended by the signal of that number less 128
  std::string out;    ///< standard output
  std::string err;    ///< standard error
};

/// Where a child finds its secret.
inline constexpr int kSecretDescriptor = 3;

/// Runs the program `arguments[0]`, looked up in PATH, to its end; no shell reads the arguments.
/// The child reads `input` from its standard input and `secret`, if there is one, from
/// kSecretDescriptor: neither shows in a list of processes or on a disk. It inherits the
/// environment, and no other descriptor. May be called from many threads.
/// Throws Error: not_found when there is no such program, io when it cannot be run or says more
/// than a program with a short answer would.
Finished run_child(const std::vector<std::string>& arguments, ByteView input,
                   std::optional<ByteView> secret = std::nullopt);

}  // namespace kitbag
