#include "files/remote/sigv4.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <new>

// AWS Signature Version 4, as "Signature Calculations for the Authorization Header" in the
// reference of Amazon S3 describes it. What is signed is a text of the request in one canonical
// form; so what is sent must be in this form, too: the encoding here is the one of the URL.

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

std::string authorization(const SignedRequest& request, const Credentials& credentials,
                          std::string_view region, std::string_view service,
                          std::string_view date) {
  std::map<std::string, std::string> headers = request.headers;
  headers["host"] = request.host;
  std::string lines;
  std::string names;
  for (const auto& [name, value] : headers) {
    lines += name + ':' + value + '\n';
    names += (names.empty() ? "" : ";") + name;
  }
  std::string canonical =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}", request.method, request.path,
                  canonical_query(request.query), lines, names, request.payload_sha256);
  std::string_view day = date.substr(0, 8);
  std::string scope = fmt::format("{}/{}/{}/aws4_request", day, region, service);
  std::string text =
      fmt::format("AWS4-HMAC-SHA256\n{}\n{}\n{}", date, scope, hexadecimal(sha256(canonical)));
  Digest key = hmac("AWS4" + credentials.secret, day);
  key = hmac(view(key), region);
  key = hmac(view(key), service);
  key = hmac(view(key), "aws4_request");
  return fmt::format("AWS4-HMAC-SHA256 Credential={}/{}, SignedHeaders={}, Signature={}",
                     credentials.key_id, scope, names, hexadecimal(hmac(view(key), text)));
}

}  // namespace kitbag::remote
