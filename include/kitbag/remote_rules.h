#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/export.h"

// Which remote addresses may be read. A program that opens what its user names needs no rules. One
// that opens what strangers name, as a server does, would fetch for them what they cannot reach
// themselves: the services of its own machine and network. So it says what may be read by prefixes,
// and addresses of private networks are reached only where a prefix names them.

namespace kitbag {

/// The rules for addresses such as "https://host/bags/drive.mcap". Never changes; any thread.
class KITBAG_API RemoteRules {
 public:
  /// `trusted` are addresses that the user of the program has named; they and what lies below them
  /// may be read as if there were no rules. Below each of `prefixes`, which have the scheme http,
  /// https or s3, addresses may be read. A prefix ends where a part of the path ends. Throws Error
  /// (invalid) for what is no such prefix.
  RemoteRules(std::vector<std::string> trusted, const std::vector<std::string>& prefixes);

  /// How an address may be read.
  struct Verdict {
    /// True: only at public addresses of the network, or at `literal`.
    bool is_guarded = false;
    /// The numeric address that the prefix names, such as "127.0.0.1" or "::1"; empty: it names a
    /// host.
    std::string literal = {};
  };
  /// Returns how `uri` may be read. Throws Error (invalid) if it may not.
  Verdict check(std::string_view uri) const;
  /// The same for what a stranger names: nothing is trusted.
  Verdict check_stranger(std::string_view uri) const;

 private:
  struct Prefix {
    std::string scheme;
    std::string host;
    std::uint16_t port = 0;  ///< 0: s3 has none
    std::vector<std::string> path;
    std::string literal;
  };

  std::vector<std::string> trusted_;
  std::vector<Prefix> prefixes_;
};

}  // namespace kitbag
