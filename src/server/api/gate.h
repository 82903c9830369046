#pragma once

#include <set>
#include <string>
#include <vector>

#include "server/api/link_signer.h"
#include "server/http/message.h"

// Who may ask. A server on a robot or a laptop is reached by every page that its user's browser has
// open, so a request is judged by what a page cannot forge: the host that the browser believes to
// talk to (a page whose name was bound to this address names its own), its origin, and a token.

namespace kitbag::server {

struct GateOptions {
  /// The address that the server listens on, and the port.
  std::string address;
  std::uint16_t port = 0;
  std::string public_url = {};
  /// Origins whose pages may read answers, such as "https://app.example.org"; "*": all.
  std::vector<std::string> allowed_origins = {};
  /// Asked for as "Authorization: Bearer TOKEN", the password of basic authentication, or
  /// "?token=TOKEN"; signed links and the cookie stand for it (server/api/link_signer.h). Empty:
  /// everybody may read, and nobody may POST or DELETE.
  std::string token = {};
};

/// Any thread.
class Gate {
 public:
  /// `signer` outlives it.
  Gate(GateOptions options, const LinkSigner& signer);

  /// Sets `refusal` and returns false if the request must not be answered. Answers a preflight of
  /// CORS the same way. POST and DELETE need a token, and an allowed origin if they name one; a
  /// POST also needs JSON.
  bool lets_in(const Request& request, Response& refusal) const;
  /// Adds to the answer what lets the page of an allowed origin read it.
  void add_headers(const Request& request, Response& response) const;

 private:
  bool may_change(const Request& request, Response& refusal) const;
  bool is_origin_allowed(const std::string& origin) const;
  bool has_token(const Request& request) const;

  GateOptions options_;
  const LinkSigner& signer_;
  std::set<std::string> hosts_;  ///< with and without the port, in lower case
};

}  // namespace kitbag::server
