#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kitbag/time.h"

namespace kitbag {

/// Lines out of bytes that come in any pieces.
class ControlLines {
 public:
  static constexpr std::size_t kMostLineBytes = 4096;

  /// How many bytes may be added now; zero while the text is longer than a line may be.
  std::size_t room() const { return kMostLineBytes + 1 - text_.size(); }
  /// Takes room() bytes at most.
  void add(std::string_view bytes);
  /// The next whole line, without its end, "\n" or "\r\n". Nothing: it has not come yet.
  std::optional<std::string> next();

  bool empty() const { return text_.empty(); }
  /// What has come is longer than a line may be.
  bool is_too_long() const;

 private:
  std::string text_;
};

/// What a control server knows of one client: a pure state, without a socket. The answer to a
/// command must be taken before the next command is looked at, so no more than one answer waits.
class ControlSession {
 public:
  using Answer = std::function<std::string(const std::string& command)>;

  static constexpr std::size_t kMostAnswerBytes = 16 << 20;
  /// A client that neither completes a line nor reads an answer for this long is disconnected.
  static constexpr Duration kPatience = std::chrono::seconds(10);

  explicit ControlSession(SteadyTime now) : last_active_(now) {}

  /// How many bytes may come now; zero: what waits must go first.
  std::size_t room() const { return is_closing_ || !unsent().empty() ? 0 : lines_.room(); }
  /// Takes room() bytes at most.
  void take(std::string_view bytes, SteadyTime now, const Answer& answer);
  /// The client sends no more.
  void end() { is_closing_ = true; }

  /// What is to be sent.
  std::string_view unsent() const { return std::string_view(answer_).substr(sent_); }
  /// So much of it was sent.
  void sent(std::size_t bytes, SteadyTime now, const Answer& answer);

  /// Nothing is left to be done.
  bool is_over() const { return is_closing_ && unsent().empty(); }
  SteadyTime last_active() const { return last_active_; }
  /// When the client is given up.
  SteadyTime deadline() const;

 private:
  void proceed(const Answer& answer);

  ControlLines lines_;
  std::string answer_;    ///< being sent
  std::size_t sent_ = 0;  ///< of it
  bool is_closing_ = false;
  SteadyTime last_active_;
};

}  // namespace kitbag
