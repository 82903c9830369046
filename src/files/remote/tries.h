#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "files/remote/client.h"
#include "kitbag/error.h"

// What to do with answers, and which requests are sent again.

namespace kitbag::remote {

class Address;

/// How a request that failed is tried again: each time after twice the delay, or as long as the
/// server asks for.
struct Retries {
  int most = 5;  ///< requests, with the first one
  std::chrono::milliseconds first_delay{100};
  std::chrono::milliseconds most_delay{10'000};
};

/// Returns the decimal number that `text` is, as in many headers; nothing: it is none.
std::optional<std::uint64_t> number(std::string_view text);

/// Adds to what is kept of the body of an answer, up to a limit that only a broken or hostile
/// server reaches.
void keep(ByteView bytes, std::string& body);

/// What an answer says that is none. `what` was to be done: "read", "written".
Error error_of(const Answer& answer, const Address& address, std::string_view body,
               std::string_view what = "read");

/// Returns whether another try may help.
bool can_be_tried_again(const Answer& answer);

/// Returns how long to wait before the request is sent again, after `tries` have failed.
std::chrono::milliseconds delay(int tries, const Answer& answer, const Retries& retries);

/// Waits between two tries of a caller that waits anyway.
void pause(std::chrono::milliseconds wait);

/// What came of a request.
struct Reply {
  Answer answer;            ///< to the last try
  std::string body;         ///< of that answer, as far as keep() keeps it
  bool is_retried = false;  ///< an earlier try may have had its effect: no answer came

  /// Returns whether the server has answered with HTTP `status`.
  bool is(long status) const { return answer.failure == CURLE_OK && answer.status == status; }
};

/// A request that is sent until there is an answer that is worth having.
struct Attempt {
  std::function<Request()> make = nullptr;  ///< makes the request for each try; any thread
  /// Returns whether another try may help; null: can_be_tried_again().
  std::function<bool(const Reply& reply)> is_worth_another_try = nullptr;
};

/// Sends it. `end` is called once, by the client's thread.
void exchange(Attempt attempt, std::function<void(const Reply& reply)> end, Client& client,
              const Retries& retries);
/// The same, and waits for what comes of it; nothing: it is not known after `limit`.
std::optional<Reply> exchange(Attempt attempt, Client& client, const Retries& retries,
                              std::chrono::milliseconds limit);
/// The same without a limit.
Reply exchange(Attempt attempt, Client& client, const Retries& retries);

}  // namespace kitbag::remote
