#include "server/api/link_signer.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <charconv>
#include <cstdint>
#include <new>

#include "server/api/url.h"
#include "server/http/words.h"

// A signature is HMAC-SHA-256 over the time of expiry, the root and the name. Its key is derived
// from the token with PBKDF2: a link is handed on, and whoever has one could otherwise try tokens
// offline, millions in a second. The salt is fixed, so links stay valid when the server is
// restarted.
//
// Only GET and HEAD accept a signature, so a link never changes anything.

namespace kitbag::server {
namespace {

/// Anyone who gets a link can try tokens until one gives its signature: this makes each try slow.
constexpr int kRounds = 100'000;
constexpr std::string_view kSalt = "kitbag serve: links";
constexpr std::string_view kCookieName = "kitbag_session";
constexpr std::string_view kSession = "session";
constexpr std::int64_t kDay = 24 * 60 * 60;  // in seconds

std::string hex_of(const unsigned char* bytes, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

/// What is signed. The name comes last, so that none can pass for another one with a time in it.
std::string statement(std::string_view root, std::string_view name, std::int64_t expires) {
  return fmt::format("{} {} {}", expires, root, name);
}

std::int64_t seconds_of(Time time) {
  return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

}  // namespace

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    char other = i < b.size() ? b[i] : '\0';
    difference |= static_cast<unsigned>(static_cast<unsigned char>(a[i] ^ other));
  }
  return difference == 0;
}

LinkSigner::LinkSigner(const std::string& token, ClockPtr clock)
    : clock_(std::move(clock)), has_token_(!token.empty()) {
  if (!has_token_) return;
  int done = PKCS5_PBKDF2_HMAC(token.data(), static_cast<int>(token.size()),
                               reinterpret_cast<const unsigned char*>(kSalt.data()),
                               static_cast<int>(kSalt.size()), kRounds, EVP_sha256(),
                               static_cast<int>(key_.size()), key_.data());
  if (done != 1) throw std::bad_alloc();  // its only failure
}

std::string LinkSigner::sign(std::string_view text) const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> signature{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), signature.data(), &size);
  return hex_of(signature.data(), size);
}

std::string LinkSigner::query_for(std::string_view root, std::string_view name) const {
  if (!has_token_) return {};
  std::int64_t end = expires();
  return fmt::format("expires={}&signature={}", end, sign(statement(root, name, end)));
}

std::int64_t LinkSigner::expires() const {
  return (seconds_of(clock_->wall()) / kDay + 2) * kDay;
}

bool LinkSigner::has_signature(const Request& request) const {
  const std::string* signature = request.parameter("signature");
  const std::string* until = request.parameter("expires");
  if (!has_token_ || !signature || !until || request.path.size() < 2) return false;
  std::int64_t expires = 0;
  auto [end, error] = std::from_chars(until->data(), until->data() + until->size(), expires);
  if (error != std::errc() || end != until->data() + until->size()) return false;
  if (request.method != "GET" && request.method != "HEAD") return false;
  if (seconds_of(clock_->wall()) >= expires) return false;
  return equal_in_constant_time(*signature,
                                sign(statement(request.path[0], request.path[1], expires)));
}

std::string LinkSigner::cookie(bool is_tls) const {
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict{}", kCookieName, sign(kSession),
                     is_tls ? "; Secure" : "");
}

bool LinkSigner::has_cookie(const Request& request) const {
  if (!has_token_) return false;
  const std::string wanted = sign(kSession);
  for (const auto& [name, value] : request.headers) {
    if (name != "cookie") continue;
    std::string_view rest = value;
    while (!rest.empty()) {
      std::string_view each = trimmed(take_until(rest, ';'));
      if (take_until(each, '=') == kCookieName && equal_in_constant_time(each, wanted)) return true;
    }
  }
  return false;
}

}  // namespace kitbag::server
