#include "files/remote/identity.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <new>

// The name of a file in caches. Two signed addresses of one file differ in their signatures and
// must have one name; and neither these nor a password may be found in the folder of a cache. So
// they are left out, and the rest is hashed. Parameters that are not known to sign may select
// another file, and count.

namespace kitbag::remote {
namespace {

/// Parameters of signed addresses of AWS, Google and Azure, in lower case; another one at each
/// signing.
constexpr std::array<std::string_view, 13> kSigning = {"awsaccesskeyid",
                                                       "expires",
                                                       "signature",
                                                       "googleaccessid",
                                                       "sig",
                                                       "se",
                                                       "st",
                                                       "skoid",
                                                       "sktid",
                                                       "skt",
                                                       "ske",
                                                       "sks",
                                                       "skv"};

bool is_signing(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower.starts_with("x-amz-") || lower.starts_with("x-goog-") ||
         std::find(kSigning.begin(), kSigning.end(), lower) != kSigning.end();
}

}  // namespace

std::string url_identity(std::string_view url) {
  url = url.substr(0, url.find('#'));
  std::size_t query = std::min(url.find('?'), url.size());
  std::size_t scheme = url.find("://");
  std::size_t host = scheme == std::string_view::npos ? 0 : scheme + 3;
  std::size_t path = std::min(url.find('/', host), query);
  std::size_t user = url.substr(0, path).rfind('@');
  std::string plain(url.substr(0, host));
  if (user != std::string_view::npos && user >= host) host = user + 1;
  plain += url.substr(host, query - host);
  std::string_view rest = url.substr(std::min(query + 1, url.size()));
  while (!rest.empty()) {
    std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
    if (is_signing(pair.substr(0, pair.find('=')))) continue;
    plain += '&';
    plain += pair;
  }
  std::array<unsigned char, 32> digest{};
  unsigned size = 0;
  if (EVP_Digest(plain.data(), plain.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    throw std::bad_alloc();
  }
  std::string text;
  for (unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace kitbag::remote
