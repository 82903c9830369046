#pragma once

#include <string_view>

namespace kitbag::cli {

/// Gives descriptors 0 to 2 that the program was started without to /dev/null, so that no file it
/// opens gets their number and what is printed does not end up in a bag. Reading standard input and
/// writing standard output still fail, as they do on closed ones. Before anything else is opened.
/// False: there is no /dev/null.
bool open_standard_streams() noexcept;

/// Ignores SIGPIPE, which would end a recording because nobody reads its status any more; writes to
/// broken pipes fail instead. False: it was ignored before.
bool ignore_broken_pipes() noexcept;

/// Ignores SIGXFSZ: a write beyond the limit of the file size (ulimit -f) fails instead, and the
/// error says so.
void ignore_file_size_signal() noexcept;

/// True: standard output is a pipe or socket that nobody reads any more.
bool is_output_abandoned() noexcept;

/// Ends the process by SIGPIPE, as the system ends one that does not ignore it.
[[noreturn]] void end_by_broken_pipe() noexcept;

/// Writes to standard error. That it cannot be written is no reason to end.
void write_error(std::string_view text) noexcept;

}  // namespace kitbag::cli
