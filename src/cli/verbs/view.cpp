#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <string>
#include <utility>

#include "cli/options/definitions.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/verbs.h"
#include "server/server.h"

// A server as of `serve`, for one person: at a free port of 127.0.0.1, without a token, and with
// the player page instead of the list. It ends without draining, as nobody else uses it.

namespace kitbag::cli {
namespace {

/// Opens the URL as the desktop does. Ctrl-C is for this program, not for the browser, which may
/// outlive it: so it has a process group of its own. Says if there is no desktop or no browser.
void open_browser(const std::string& url, const Context& context) {
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t files;
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_init(&attributes);
  // The signals that this program blocks (Signals) would stay blocked in the browser.
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  ::posix_spawn_file_actions_init(&files);
  // xdg-open names each browser that is not there.
  ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string opener = "xdg-open";
  std::string argument = url;
  char* arguments[] = {opener.data(), argument.data(), nullptr};
  pid_t child = 0;
  int failure = ::posix_spawnp(&child, "xdg-open", &files, &attributes, arguments, ::environ);
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&attributes);
  if (failure != 0) {
    print_note(fmt::format("xdg-open: {}; open the URL in a browser", std::strerror(failure)));
    return;
  }
  constexpr Duration kTries = std::chrono::seconds(10);
  SteadyTime end = context.clock.steady() + kTries;
  while (!context.stop.stop_requested() && context.clock.steady() < end) {
    int status = 0;
    if (::waitpid(child, &status, WNOHANG) == child) {
      bool is_open = WIFEXITED(status) && WEXITSTATUS(status) == 0;
      if (!is_open) print_note("xdg-open found no browser; open the URL in one");
      return;
    }
    context.clock.sleep({context.stop, context.clock.steady() + std::chrono::milliseconds(100)});
  }
}

}  // namespace

int view(const ViewArguments& arguments, const Context& context) {
  server::ServerOptions options;
  options.http.port = 0;
  options.bags.places = arguments.places;
  options.bags.latched_topics = server::documented_latched_topics();
  options.bags.cache_folder = server::default_cache_folder();
  options.bags.on_warning = warn_of_system;
  options.bags.definitions = Definitions(arguments.definitions, context.session).paths();
  options.panels = arguments.panels;
  server::Server server(std::move(options), context.session);
  std::string url = server.page_url();
  context.out.write(url + "\n");
  context.out.flush();
  if (!arguments.without_browser) open_browser(url, context);
  context.clock.sleep({context.stop});
  return kDone;
}

}  // namespace kitbag::cli
