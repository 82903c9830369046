#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kitbag/bytes.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"

namespace kitbag::cli {

/// A stream of the system, such as standard output, behind a buffer. A write that fails throws
/// Error (io): a full disk below `kitbag cat > file` must not pass as success. Where the output
/// only accompanies the work, as a recorder's status does, make_status() keeps failures from ending
/// it.
class Output {
 public:
  /// `descriptor` stays the caller's; `name` is for messages.
  Output(int descriptor, std::string name);
  /// Bytes that were not flushed are lost.
  ~Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);
  /// A line for people: it may quote what bags say, and is escaped.
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    write(escaped(fmt::format(format, std::forward<Args>(args)...)) + "\n");
  }
  /// Writes content of a bag: unchanged, or, if standard output is a terminal, without control
  /// characters.
  void write_content(std::string_view content) {
    is_terminal_ ? write(escaped_lines(content)) : write(content);
  }
  /// Hands everything to the system.
  void flush();
  /// From now on no write throws, and it is no error if standard output has no reader any more.
  void make_status() { is_status_ = true; }
  /// The same, and what would have to wait for a slow reader is left out, by whole calls of
  /// write().
  void make_live_status();
  /// flush(); throws Error (io) if a write has failed since make_status() although there was a
  /// reader.
  void finish();

  const std::string& name() const { return name_; }

  /// Somebody watches: bold headings and colours make sense.
  bool is_terminal() const { return is_terminal_; }

 private:
  void write_through(std::string_view text);
  /// Writes without waiting; returns the rest of `text`.
  std::string_view write_some(std::string_view text);
  void fail(int number);

  int descriptor_;
  std::string name_;
  bool is_terminal_;
  bool is_status_ = false;
  bool is_live_ = false;
  std::optional<Error> failure_;  ///< of a status
  std::string buffer_;
};

}  // namespace kitbag::cli
