#include "transport/nats/endpoint.h"

#include <fmt/format.h>

#include <algorithm>

#include "transport/broker/fields.h"

// Topics have slashes where subjects have dots: "/camera/left" is "camera.left", or
// "PREFIX.camera.left". A character that subjects do not allow is written as %XX. Where the subject
// does not tell the topic, the message has it in a field.

namespace kitbag::nats {
namespace {

constexpr std::uint16_t kUsualPort = 4222;
/// A server allows a line of 4096 bytes for a subject, another one for the answer, and sizes.
constexpr std::size_t kMostSubjectBytes = 3000;

/// Whether `text` can be the name of a stream or consumer.
bool is_name(std::string_view text) {
  return broker::is_plain(text) && text.find_first_of(" .*>/\\") == std::string_view::npos;
}

}  // namespace

Endpoint Endpoint::of(const Location& location) {
  Endpoint endpoint;
  endpoint.is_tls = location.scheme == "tls";
  endpoint.address = broker::address_of(location, kUsualPort);
  broker::Parameters given(location, endpoint.shown(),
                           {"stream", "durable", "deliver", "user", "password", "token", "creds",
                            "ca", "cert", "key", "once", "times"});
  endpoint.stream = given.text("stream");
  endpoint.durable = given.text("durable");
  endpoint.is_from_now = given.choice("deliver", "all", "new");
  endpoint.token = given.secret("token", "KITBAG_NATS_TOKEN");
  endpoint.credentials = given.file("creds");
  endpoint.take(given, "tls", "KITBAG_NATS");
  bool has_consumer = !endpoint.durable.empty() || endpoint.is_from_now;
  if (endpoint.stream.empty() && has_consumer) {
    given.refuse(
        "the parameters durable and deliver are for a stream; name it by the parameter "
        "stream");
  }
  if (!is_name(endpoint.stream) || !is_name(endpoint.durable)) {
    given.refuse("the name of a stream or consumer has no spaces, dots, slashes, * and >");
  }
  std::string& prefix = endpoint.address.prefix;
  std::replace(prefix.begin(), prefix.end(), '/', '.');
  if (!broker::is_plain(prefix) || prefix.find_first_of(" *>") != std::string::npos ||
      prefix.find("..") != std::string::npos || prefix.starts_with('.') || prefix.ends_with('.')) {
    given.refuse(
        "the prefix of subjects is invalid; expected words with dots or slashes between "
        "them");
  }
  return endpoint;
}

std::string Endpoint::everything() const {
  return address.prefix.empty() ? ">" : address.prefix + ".>";
}

std::string subject_of(std::string_view prefix, std::string_view topic) {
  std::string subject(prefix);
  if (!subject.empty()) subject += '.';
  if (topic.starts_with('/')) topic.remove_prefix(1);
  bool begins_word = true;
  for (char c : topic) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '/') {
      if (begins_word) subject += '%';  // a word has a character at least
      subject += '.';
      begins_word = true;
      continue;
    }
    bool is_plain = byte > ' ' && byte != 0x7f && c != '.' && c != '*' && c != '>' &&
                    !(subject.empty() && (c == '$' || c == '_'));
    if (is_plain) {
      subject += c;
    } else {
      subject += fmt::format("%{:02X}", byte);
    }
    begins_word = false;
  }
  if (begins_word) subject += '%';
  return !broker::is_plain(subject) || subject.size() > kMostSubjectBytes ? std::string() : subject;
}

std::optional<std::string> topic_of(std::string_view prefix, std::string_view subject) {
  if (!prefix.empty()) {
    bool is_below = subject.size() > prefix.size() + 1 && subject.starts_with(prefix) &&
                    subject[prefix.size()] == '.';
    if (!is_below) return std::nullopt;
    subject.remove_prefix(prefix.size() + 1);
  } else if (subject.starts_with("_INBOX.") || subject.starts_with('$')) {
    return std::nullopt;
  }
  std::string topic = "/" + std::string(subject);
  std::replace(topic.begin(), topic.end(), '.', '/');
  return topic;
}

}  // namespace kitbag::nats
