#include "cli/program.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line/command_line.h"
#include "cli/options/inputs.h"
#include "cli/options/live_system.h"
#include "cli/terminal/file_limit.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/standard_streams.h"
#include "cli/verbs.h"
#include "kitbag/error.h"
#include "kitbag/leave.h"
#include "kitbag/session.h"
#include "server/server.h"

// The order of the beginning: descriptors first, before a file can get their numbers; SIGPIPE
// before anything is written; signals blocked before a thread is started; plugins after the command
// line has named them.
//
// An error becomes a sentence and an exit code here and nowhere else. One error is none: when the
// reader of standard output has gone (`kitbag cat | head`), the program ends by SIGPIPE, as others
// do, so that a shell with pipefail sees the usual status. Where SIGPIPE was ignored by the parent,
// it is an error.

namespace kitbag::cli {
namespace {

/// Returned by run_and_report() only: the program is to end by SIGPIPE.
constexpr int kBrokenPipe = -1;

SessionOptions session_options(const SessionSettings& settings, const ClockPtr& clock) {
  SessionOptions options;
  options.clock = clock;
  options.plugins = settings.plugins;
  options.on_warning = warn_of_system;
  options.remote.on_warning = warn_of_system;
  options.remote.rules = settings.rules;
  if (settings.cache_bytes) {
    options.remote.cache_bytes = *settings.cache_bytes / 3;
    options.cache_bytes = *settings.cache_bytes - options.remote.cache_bytes;
  }
  options.remote.cache_folder = settings.cache_folder;
  if (settings.cache_folder_bytes) {
    options.remote.cache_folder_bytes = *settings.cache_folder_bytes;
    if (settings.cache_folder.empty()) {
      options.remote.cache_folder = server::default_cache_folder();
    }
  }
  // Beside the files of a server, which are none of the session's.
  if (!options.remote.cache_folder.empty()) options.remote.cache_folder += "/blocks";
  return options;
}

int run_command(const std::vector<std::string>& arguments, Output& out) {
  std::optional<NoLeave> result_stands;
  ClockPtr clock = system_clock();
  Signals signals(*clock);  // before any other thread
  ParsedCommand command = parse_command(arguments);
  raise_file_limit();
  Session session(session_options(command.settings, clock));
  Context context{session, *clock, signals.stop(), out, signals, result_stands};
  int code = command.run(context);
  out.finish();
  // From here on a signal that came before must not turn the exit code into that of an
  // interruption: what is destroyed now may take longer than the patience of Signals.
  if (!result_stands) result_stands.emplace();
  return code;
}

/// The reader of standard output has gone, as `head` does when it has enough: no error to report.
bool is_broken_pipe(const Error& error, const Output& out) {
  bool is_output = error.file() == "-" || error.file() == out.name();
  return error.code() == ErrorCode::io && is_output && is_output_abandoned();
}

/// The only place that turns an error into a line and an exit code, or kBrokenPipe.
int run_and_report(const std::vector<std::string>& arguments, bool ends_by_broken_pipe) {
  Output out(STDOUT_FILENO, "standard output");
  std::string message;
  try {
    return run_command(arguments, out);
  } catch (const std::bad_alloc&) {
    message = "out of memory";
  } catch (const Error& error) {
    if (ends_by_broken_pipe && is_broken_pipe(error, out)) return kBrokenPipe;
    message = error_text(error);
  } catch (const std::exception& error) {
    message = error.what();
  }
  try {
    out.finish();  // what was found before it went wrong
  } catch (const Error&) {
    // Only the first error is reported.
  }
  print_error(message);
  return kFailed;
}

}  // namespace

int run_program(int argc, char** argv) {
  if (!open_standard_streams()) return kFailed;
  bool ends_by_broken_pipe = ignore_broken_pipes();
  ignore_file_size_signal();
  int code = kFailed;
  try {
    code = run_and_report({argv + std::min(argc, 1), argv + argc}, ends_by_broken_pipe);
  } catch (...) {  // no memory to report an error with
    write_error("kitbag: out of memory\n");
  }
  if (code == kBrokenPipe) end_by_broken_pipe();
  return code;
}

}  // namespace kitbag::cli
