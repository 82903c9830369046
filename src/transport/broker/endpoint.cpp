#include "transport/broker/endpoint.h"

#include <fmt/format.h>

namespace kitbag::broker {

void Endpoint::take(const Parameters& given, const std::string& tls_scheme,
                    const std::string& variables) {
  user = given.secret("user", variables + "_USER");
  password = given.secret("password", variables + "_PASSWORD");
  ca = given.file("ca");
  certificate = given.file("cert");
  key = given.file("key");
  is_once = given.choice("once", "0", "1");
  keeps_time = given.choice("times", "received", "sent");
  bool has_tls_files = !ca.empty() || !certificate.empty();
  if (has_tls_files && !is_tls) {
    given.refuse(
        fmt::format("the parameters ca, cert and key are for {}://, which encrypts", tls_scheme));
  }
  if (certificate.empty() != key.empty()) {
    given.refuse("the parameters cert and key belong together");
  }
}

}  // namespace kitbag::broker
