#include "live/control/control_session.h"

#include <exception>

// A line may come in pieces, and several in one piece. The next line is looked at only when the
// answer before has left: answers can have megabytes, and a client that sends commands without
// reading would otherwise fill the memory with them.
//
// The buffer holds a longest line and its end. If it is full and there is no end in it, the line is
// too long, and nothing more has to come to know that. The answer to it is sent, and then the
// connection ends: where the next command begins is no longer known.

namespace kitbag {

namespace {

/// The answer to `command` as one line that is not too long.
std::string line_of(const std::string& command, const ControlSession::Answer& answer) {
  std::string line;
  try {
    line = answer(command);
  } catch (const std::exception& error) {
    line = std::string("error: ") + error.what();
  }
  for (char& c : line) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  if (line.size() >= ControlSession::kMostAnswerBytes) line = "error: the answer is too long";
  return line + "\n";
}

}  // namespace

void ControlLines::add(std::string_view bytes) {
  text_.append(bytes);
}

std::optional<std::string> ControlLines::next() {
  std::size_t end = text_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = text_.substr(0, end);
  text_.erase(0, end + 1);
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

bool ControlLines::is_too_long() const {
  return text_.size() > kMostLineBytes && text_.find('\n') == std::string::npos;
}

void ControlSession::take(std::string_view bytes, SteadyTime now, const Answer& answer) {
  last_active_ = now;
  lines_.add(bytes);
  proceed(answer);
}

void ControlSession::sent(std::size_t bytes, SteadyTime now, const Answer& answer) {
  if (bytes > 0) last_active_ = now;
  sent_ += bytes;
  if (unsent().empty()) proceed(answer);
}

void ControlSession::proceed(const Answer& answer) {
  if (!unsent().empty()) return;
  sent_ = 0;
  answer_.clear();
  if (std::optional<std::string> command = lines_.next()) {
    answer_ = line_of(*command, answer);
  } else if (lines_.is_too_long() && !is_closing_) {
    answer_ = "error: the command is longer than 4096 bytes\n";
    is_closing_ = true;
  } else {
    answer_.shrink_to_fit();
  }
}

SteadyTime ControlSession::deadline() const {
  return unsent().empty() && lines_.empty() ? kNever : last_active_ + kPatience;
}

}  // namespace kitbag
