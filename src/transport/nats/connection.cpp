#include "transport/nats/connection.h"

#include <fmt/format.h>

#include <utility>

#include "transport/broker/within.h"

// libnats can connect again by itself, but then it neither says what was lost nor can be stopped
// while it tries. So here a connection that is lost is gone, and who uses it makes a new one. To
// connect may take seconds, for a name server or TLS, and runs on a thread that can be left alone.

namespace kitbag::nats {
namespace {

constexpr std::int64_t kConnectMs = 5000;
constexpr Duration kConnectTime = std::chrono::seconds(10);
constexpr std::int64_t kPingMs = 5000;
/// How long a server may take to accept what is sent; no stop is heeded meanwhile.
constexpr std::int64_t kWriteMs = 3000;
/// How long a server may take to answer questions on streams.
constexpr std::int64_t kAnswerMs = 3000;

/// Options, or the first thing that is wrong with them.
class Options {
 public:
  explicit Options(const Endpoint& endpoint) : endpoint_(endpoint) {
    natsOptions* made = nullptr;
    check(natsOptions_Create(&made), "connect");
    options_.reset(made);
  }

  natsOptions* get() const { return options_.get(); }
  void check(natsStatus status, const std::string& what) const {
    if (status != NATS_OK) throw error_of(status, what, endpoint_);
  }

 private:
  const Endpoint& endpoint_;
  std::unique_ptr<natsOptions, Free> options_;
};

/// What libnats would print to standard error.
void ignore(natsConnection*, natsSubscription*, natsStatus, void*) {}

void set_up_tls(const Options& options, const Endpoint& endpoint) {
  natsOptions* to = options.get();
  options.check(natsOptions_SetSecure(to, true), "use TLS");
  if (!endpoint.ca.empty()) {
    options.check(natsOptions_LoadCATrustedCertificates(to, endpoint.ca.c_str()),
                  "use the file of the parameter ca");
  }
  if (!endpoint.certificate.empty()) {
    options.check(
        natsOptions_LoadCertificatesChain(to, endpoint.certificate.c_str(), endpoint.key.c_str()),
        "use the files of the parameters cert and key");
  }
  options.check(natsOptions_SetExpectedHostname(to, endpoint.address.host.c_str()), "use TLS");
}

Connection connect_now(const Endpoint& endpoint) {
  Options options(endpoint);
  natsOptions* to = options.get();
  std::string host = endpoint.address.host;
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  std::string url = fmt::format("nats://{}:{}", host, endpoint.address.port);
  options.check(natsOptions_SetURL(to, url.c_str()), "use the address");
  options.check(natsOptions_SetAllowReconnect(to, false), "connect");
  options.check(natsOptions_SetTimeout(to, kConnectMs), "connect");
  options.check(natsOptions_SetPingInterval(to, kPingMs), "connect");
  options.check(natsOptions_SetWriteDeadline(to, kWriteMs), "connect");
  options.check(natsOptions_SetErrorHandler(to, ignore, nullptr), "connect");
  options.check(natsOptions_SetName(to, "kitbag"), "connect");
  if (!endpoint.user.empty()) {
    options.check(natsOptions_SetUserInfo(to, endpoint.user.c_str(), endpoint.password.c_str()),
                  "connect");
  }
  if (!endpoint.token.empty()) {
    options.check(natsOptions_SetToken(to, endpoint.token.c_str()), "connect");
  }
  if (!endpoint.credentials.empty()) {
    options.check(
        natsOptions_SetUserCredentialsFromFiles(to, endpoint.credentials.c_str(), nullptr),
        "use the file of the parameter creds");
  }
  if (endpoint.is_tls) set_up_tls(options, endpoint);
  natsConnection* made = nullptr;
  options.check(natsConnection_Connect(&made, to), "connect to the server");
  return Connection(made);
}

bool is_user_given(const Endpoint& endpoint) {
  return !endpoint.user.empty() || !endpoint.token.empty() || !endpoint.credentials.empty();
}

}  // namespace

Connection connect(const Endpoint& endpoint, const std::stop_token& stop) {
  // With a copy of the endpoint, since the call may outlive the caller.
  auto connection = broker::result_within<Connection>(kConnectTime, stop,
                                                      [endpoint] { return connect_now(endpoint); });
  if (connection) return std::move(*connection);
  if (stop.stop_requested()) return nullptr;
  throw Error(ErrorCode::io, "cannot connect to the server: no answer", endpoint.shown());
}

Error error_of(natsStatus status, const std::string& what, const Endpoint& endpoint) {
  std::string why = natsStatus_GetText(status);
  switch (status) {
    case NATS_CONNECTION_AUTH_FAILED:
      return {ErrorCode::invalid,
              is_user_given(endpoint)
                  ? "the server refuses the user, password, token or credentials"
                  : "the server wants a user; set KITBAG_NATS_USER and KITBAG_NATS_PASSWORD, or "
                    "KITBAG_NATS_TOKEN, or the parameters user, password, token and creds",
              endpoint.shown()};
    case NATS_SECURE_CONNECTION_REQUIRED:
      return {ErrorCode::invalid, "the server wants TLS; use tls:// instead of nats://",
              endpoint.shown()};
    case NATS_SECURE_CONNECTION_WANTED:
      return {ErrorCode::invalid, "the server does not offer TLS; use nats:// instead of tls://",
              endpoint.shown()};
    case NATS_SSL_ERROR: {
      const char* detail = nats_GetLastError(nullptr);
      return {ErrorCode::invalid,
              fmt::format("cannot {}: TLS failed{}{}; see the parameters ca, cert and key", what,
                          detail ? ": " : "", detail ? detail : ""),
              endpoint.shown()};
    }
    case NATS_INVALID_ARG:
    case NATS_INVALID_SUBJECT:
    case NATS_ADDRESS_MISSING:
      return {ErrorCode::invalid, fmt::format("cannot {}: {}", what, why), endpoint.shown()};
    default:
      return {ErrorCode::io, fmt::format("cannot {}: {}", what, why), endpoint.shown()};
  }
}

void require_permission(natsConnection* connection, const Endpoint& endpoint) {
  // A server refuses a subject by an error that belongs to no call. libnats keeps it as the last
  // error of the connection, where it is found after an answer of the server to something else.
  const char* said = nullptr;
  if (natsConnection_GetLastError(connection, &said) == NATS_NOT_PERMITTED) {
    throw Error(ErrorCode::invalid,
                fmt::format("the server does not allow it: {}", said ? said : ""),
                endpoint.shown());
  }
}

Stream Stream::of(natsConnection* connection, const Endpoint& endpoint) {
  Stream stream;
  jsOptions options;
  jsOptions_Init(&options);
  options.Wait = kAnswerMs;
  jsCtx* context = nullptr;
  natsStatus status = natsConnection_JetStream(&context, connection, &options);
  if (status != NATS_OK) throw error_of(status, "use JetStream", endpoint);
  stream.context.reset(context);
  jsStreamInfo* found = nullptr;
  status = js_GetStreamInfo(&found, context, endpoint.stream.c_str(), nullptr, nullptr);
  std::unique_ptr<jsStreamInfo, Free> info(found);
  if (status == NATS_NOT_FOUND) {
    throw Error(ErrorCode::not_found,
                fmt::format("the server has no stream \"{}\"; create it with the subjects "
                            "'{}'",
                            endpoint.stream, endpoint.everything()),
                endpoint.shown());
  }
  if (status == NATS_NO_RESPONDERS) {
    throw Error(ErrorCode::io, "the server has no JetStream, or it is not ready", endpoint.shown());
  }
  if (status != NATS_OK) throw error_of(status, "find the stream", endpoint);
  for (int i = 0; info->Config && i < info->Config->SubjectsLen; ++i) {
    stream.subjects.emplace_back(info->Config->Subjects[i]);
  }
  return stream;
}

bool Stream::takes(std::string_view subject) const {
  for (const std::string& each : subjects) {
    if (matches_subject(each, subject)) return true;
  }
  return false;
}

/// `*` stands for one word, `>` for one or more at the end.
bool matches_subject(std::string_view pattern, std::string_view subject) {
  while (true) {
    std::string_view wanted = pattern.substr(0, pattern.find('.'));
    std::string_view word = subject.substr(0, subject.find('.'));
    if (wanted == ">") return !subject.empty();
    if (wanted != "*" && wanted != word) return false;
    bool is_last = wanted.size() == pattern.size();
    if (is_last || word.size() == subject.size()) {
      return is_last && word.size() == subject.size();
    }
    pattern.remove_prefix(wanted.size() + 1);
    subject.remove_prefix(word.size() + 1);
  }
}

std::string new_inbox() {
  natsInbox* made = nullptr;
  if (natsInbox_Create(&made) != NATS_OK) throw Error(ErrorCode::io, "cannot name an inbox");
  std::unique_ptr<natsInbox, Free> inbox(made);
  return made;
}

}  // namespace kitbag::nats
