#include <unistd.h>

#include <exception>
#include <new>
#include <string>
#include <vector>

#include "command_line.h"
#include "kitbag/error.h"
#include "kitbag/open.h"
#include "output.h"
#include "plugins.h"
#include "print.h"
#include "signals.h"
#include "verbs.h"

namespace {

using namespace kitbag;
using namespace kitbag::cli;

int run_command(const std::vector<std::string>& arguments, Output& out) {
  Signals signals;  // before any other thread
  ParsedCommand command = parse_command(arguments);
  Registry registry = standard_registry();
  load_plugins(command.plugins, registry);
  auto clock = system_clock();
  Context context{registry, *clock, signals.stop(), out, signals};
  return command.run(context);
}

/// The one place where what went wrong becomes a line and an exit code.
int run_and_report(const std::vector<std::string>& arguments) {
  Output out(STDOUT_FILENO, "standard output");
  std::string message;
  try {
    int code = run_command(arguments, out);
    out.flush();
    return code;
  } catch (const std::bad_alloc&) {
    message = "out of memory";
  } catch (const std::exception& error) {
    message = error.what();
  }
  try {
    out.flush();  // what was found before it went wrong
  } catch (const Error&) {
    // One error is enough, and the first one is told.
  }
  print_error(message);
  return kFailed;
}

}  // namespace

int main(int argc, char** argv) {
  return run_and_report({argv + 1, argv + argc});
}
