#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "kitbag/bytes.h"

namespace kitbag::cli {

/// A stream of the system, such as standard output, behind a buffer. A write that fails throws
/// Error (io): a full disk below `kitbag cat > file` must not pass as success.
class Output {
 public:
  /// `descriptor` stays the caller's; `name` is for messages.
  Output(int descriptor, std::string name);
  /// Bytes that were not flushed are lost.
  ~Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);
  void write(ByteView bytes) { write(as_text(bytes)); }
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    write(fmt::format(format, std::forward<Args>(args)...));
  }
  /// Hands everything to the system.
  void flush();

  /// Somebody watches: bold headings and colours make sense.
  bool is_terminal() const { return is_terminal_; }

 private:
  void write_through(std::string_view text);

  int descriptor_;
  std::string name_;
  bool is_terminal_;
  std::string buffer_;
};

}  // namespace kitbag::cli
