#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "kitbag/time.h"
#include "server/http/message.h"

// What stands for the token where the token itself must not be. A link that a user hands on, or
// that a viewer on another site opens, is good for one bag and for a time. The cookie of a browser
// is good for everything, but scripts cannot read it, and no other site can use it.

namespace kitbag::server {

/// Any thread.
class LinkSigner {
 public:
  /// `token` is that of the server; empty: nothing is signed, and nothing is accepted.
  LinkSigner(const std::string& token, ClockPtr clock);

  /// "expires=1700000000&signature=...", for the query of URLs that begin with /ROOT/NAME, such as
  /// /bags/NAME/download; empty without a token.
  std::string query_for(std::string_view root, std::string_view name) const;
  /// Whether the URL of the request is signed, and still valid.
  bool has_signature(const Request& request) const;

  /// The value of Set-Cookie for somebody who has shown the token.
  std::string cookie(bool is_tls) const;
  bool has_cookie(const Request& request) const;

  /// When links that are signed now expire, in seconds since 1970: in one to two days. It changes
  /// once a day, so that a list with links stays the same for that long.
  std::int64_t expires() const;

 private:
  std::string sign(std::string_view text) const;

  ClockPtr clock_;
  bool has_token_;
  std::array<unsigned char, 32> key_{};
};

/// Whether two texts are equal, in a time that does not depend on where they differ.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace kitbag::server
