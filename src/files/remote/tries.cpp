#include "files/remote/tries.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>

#include "files/remote/ranges.h"

// Which failures pass by themselves. Of the statuses, these are 408, 429, 500, 502, 503 and 504; of
// libcurl's failures, a connection that cannot be made now or is cut off. A name that is not found
// and a certificate that is not accepted are errors at once, since another try would find the same.
//
// An Exchange is held by the callbacks of its request. So it lives as long as the client has the
// request, and nobody else need keep it.

namespace kitbag::remote {
namespace {

constexpr std::size_t kMostAnswerBytes = 64 << 10;

/// A request and its tries; it lives as long as the client holds it.
class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(Attempt attempt, std::function<void(const Reply&)> end, Client& client,
           const Retries& retries)
      : attempt_(std::move(attempt)), end_(std::move(end)), client_(client), retries_(retries) {}

  void send(std::chrono::milliseconds wait = {}) {
    Request request = attempt_.make();
    reply_.body.clear();
    request.take = [self = shared_from_this()](ByteView bytes) {
      keep(bytes, self->reply_.body);
      return true;
    };
    request.end = [self = shared_from_this()](const Answer& answer) { self->end(answer); };
    client_.start(std::move(request), wait);
  }

 private:
  void end(const Answer& answer) {
    reply_.answer = answer;
    bool is_worth = attempt_.is_worth_another_try ? attempt_.is_worth_another_try(reply_)
                                                  : can_be_tried_again(answer);
    if (!is_worth || ++tries_ >= retries_.most) return end_(reply_);
    reply_.is_retried = true;
    send(delay(tries_, answer, retries_));
  }

  Attempt attempt_;
  std::function<void(const Reply&)> end_;
  Client& client_;
  Retries retries_;
  Reply reply_;
  int tries_ = 0;
};

}  // namespace

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void keep(ByteView bytes, std::string& body) {
  bytes = bytes.first(
      std::min(bytes.size(), kMostAnswerBytes - std::min(body.size(), kMostAnswerBytes)));
  body.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Error error_of(const Answer& answer, const Address& address, std::string_view body,
               std::string_view what) {
  std::string shown = address.shown();
  if (answer.failure == CURLE_ABORTED_BY_CALLBACK) {
    return {ErrorCode::cancelled, "the connection was closed here", shown};
  }
  bool is_answered = answer.status != 0 && answer.failure == CURLE_OK;
  if (!is_answered) {
    return {ErrorCode::io, fmt::format("cannot be {}: {}", what, answer.failure_text), shown};
  }
  std::string why = address.reason(answer.status, body);
  if (why.empty() && (answer.status == 401 || answer.status == 403)) why = "access is denied";
  if (!why.empty()) why.insert(0, ": ");
  bool was_read = what == "read";
  if (was_read && (answer.status == 404 || answer.status == 410)) {
    return {ErrorCode::not_found, fmt::format("no such file (HTTP {}){}", answer.status, why),
            shown};
  }
  // A clock that is wrong may be set right soon; a key that may not do this stays one.
  bool is_refused = (answer.status == 401 || answer.status == 403) &&
                    why.find("RequestTimeTooSkewed") == std::string::npos;
  return {is_refused ? ErrorCode::invalid : ErrorCode::io,
          fmt::format("the server answers with HTTP {}{}", answer.status, why), shown};
}

bool can_be_tried_again(const Answer& answer) {
  switch (answer.failure) {
    case CURLE_OK:
      return answer.status == 408 || answer.status == 429 || answer.status == 500 ||
             answer.status == 502 || answer.status == 503 || answer.status == 504;
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_SSL_CONNECT_ERROR:
      return true;
    default:
      return false;
  }
}

std::chrono::milliseconds delay(int tries, const Answer& answer, const Retries& retries) {
  // Not shifted further, whatever the number of tries is.
  auto wait = retries.first_delay * (1 << std::min(tries - 1, 10));
  if (auto asked = number(answer.header("retry-after"))) {
    wait = std::chrono::seconds(std::min<std::uint64_t>(*asked, 3600));
  }
  return std::min<std::chrono::milliseconds>(wait, retries.most_delay);
}

void pause(std::chrono::milliseconds wait) {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, wait, [] { return false; });
}

void exchange(Attempt attempt, std::function<void(const Reply&)> end, Client& client,
              const Retries& retries) {
  std::make_shared<Exchange>(std::move(attempt), std::move(end), client, retries)->send();
}

std::optional<Reply> exchange(Attempt attempt, Client& client, const Retries& retries,
                              std::chrono::milliseconds limit) {
  struct Result {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<Reply> reply;
  };
  auto result = std::make_shared<Result>();
  auto end = [result](const Reply& reply) {
    std::lock_guard lock(result->mutex);
    result->reply = reply;
    result->changed.notify_all();
  };
  exchange(std::move(attempt), end, client, retries);
  std::unique_lock lock(result->mutex);
  result->changed.wait_for(lock, limit, [&] { return result->reply.has_value(); });
  return result->reply;
}

Reply exchange(Attempt attempt, Client& client, const Retries& retries) {
  constexpr std::chrono::hours kLong(24 * 365);  // each try ends by itself
  return exchange(std::move(attempt), client, retries, kLong).value();
}

}  // namespace kitbag::remote
