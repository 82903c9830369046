#include "files/remote/sigv4.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <new>

// AWS Signature Version 4, as "Signature Calculations for the Authorization Header" and "Using
// Query Parameters" in the reference of Amazon S3 describe it. What is signed is a text of the
// request in one canonical form; so what is sent must be in this form, too: the encoding here is
// the one of the URL.

namespace kitbag::remote {
namespace {

using Digest = std::array<unsigned char, 32>;

Digest sha256(std::string_view text) {
  Digest digest{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    throw std::bad_alloc();
  }
  return digest;
}

Digest hmac(std::string_view key, std::string_view text) {
  Digest digest{};
  unsigned size = 0;
  if (!HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
            reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(),
            &size)) {
    throw std::bad_alloc();
  }
  return digest;
}

std::string_view view(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

std::string hexadecimal(const Digest& digest) {
  std::string text;
  for (unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

}  // namespace

std::string uri_encoded(std::string_view text, bool keeps_slash) {
  std::string encoded;
  for (char c : text) {
    if (is_unreserved(c) || (c == '/' && keeps_slash)) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

std::string canonical_query(std::vector<std::pair<std::string, std::string>> query) {
  for (auto& [name, value] : query) {
    name = uri_encoded(name, false);
    value = uri_encoded(value, false);
  }
  std::sort(query.begin(), query.end());
  std::string text;
  for (const auto& [name, value] : query) {
    if (!text.empty()) text += '&';
    text += name + '=' + value;
  }
  return text;
}

namespace {

/// The headers that are signed.
struct Headers {
  std::string lines;
  std::string names;  ///< "host;range"
};

Headers headers_of(const SignedRequest& request) {
  // Names are in lower case, and sorted here, as the canonical form has them.
  std::map<std::string, std::string> all = request.headers;
  all["host"] = request.host;
  Headers headers;
  for (const auto& [name, value] : all) {
    headers.lines += name + ':' + value + '\n';
    headers.names += (headers.names.empty() ? "" : ";") + name;
  }
  return headers;
}

/// What a key for signing is good for.
std::string scope_of(std::string_view region, std::string_view service, std::string_view date) {
  return fmt::format("{}/{}/{}/aws4_request", date.substr(0, 8), region, service);
}

std::string signature_of(const SignedRequest& request, std::string_view query,
                         const Headers& headers, const Credentials& credentials,
                         std::string_view scope, std::string_view date) {
  std::string canonical = fmt::format("{}\n{}\n{}\n{}\n{}\n{}", request.method, request.path, query,
                                      headers.lines, headers.names, request.payload_sha256);
  std::string text =
      fmt::format("AWS4-HMAC-SHA256\n{}\n{}\n{}", date, scope, hexadecimal(sha256(canonical)));
  // The key is made of the parts of the scope, one after the other.
  std::string key = "AWS4" + credentials.secret;
  for (std::size_t begin = 0; begin <= scope.size();) {
    std::size_t end = std::min(scope.find('/', begin), scope.size());
    key = view(hmac(key, scope.substr(begin, end - begin)));
    begin = end + 1;
  }
  return hexadecimal(hmac(key, text));
}

}  // namespace

std::string authorization(const SignedRequest& request, const Credentials& credentials,
                          std::string_view region, std::string_view service,
                          std::string_view date) {
  std::string scope = scope_of(region, service, date);
  Headers headers = headers_of(request);
  std::string signature =
      signature_of(request, canonical_query(request.query), headers, credentials, scope, date);
  return fmt::format("AWS4-HMAC-SHA256 Credential={}/{}, SignedHeaders={}, Signature={}",
                     credentials.key_id, scope, headers.names, signature);
}

std::string presigned_query(SignedRequest request, const Credentials& credentials,
                            std::string_view region, std::string_view service,
                            std::string_view date, std::chrono::seconds lifetime) {
  std::string scope = scope_of(region, service, date);
  Headers headers = headers_of(request);
  request.query.emplace_back("X-Amz-Algorithm", "AWS4-HMAC-SHA256");
  request.query.emplace_back("X-Amz-Credential", credentials.key_id + "/" + scope);
  request.query.emplace_back("X-Amz-Date", date);
  request.query.emplace_back("X-Amz-Expires", std::to_string(lifetime.count()));
  request.query.emplace_back("X-Amz-SignedHeaders", headers.names);
  if (!credentials.token.empty()) {
    request.query.emplace_back("X-Amz-Security-Token", credentials.token);
  }
  request.payload_sha256 = "UNSIGNED-PAYLOAD";
  std::string query = canonical_query(std::move(request.query));
  return fmt::format("{}&X-Amz-Signature={}", query,
                     signature_of(request, query, headers, credentials, scope, date));
}

}  // namespace kitbag::remote
