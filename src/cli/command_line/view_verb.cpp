#include <memory>

#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"

namespace kitbag::cli {
namespace {

constexpr VerbText kViewText{
    .summary = "Look at bags in a browser.",
    .more = "Serves them to this machine alone until it is stopped, and opens the player page.",
    .examples = R"(  kitbag view run.bag
  kitbag view /data/bags
  kitbag view run.mcap --no-browser)",
    .notes = "The page is described in docs/page.md."};

}  // namespace

void add_view(CommandLine& line) {
  auto arguments = std::make_shared<ViewArguments>();
  Verb& verb = line.add_verb("view", kReadingVerbs, kViewText, arguments, view);
  add_list(verb, "BAG", arguments->places, "BAG...", "Bags, or folders with bags")->required();
  add_list(verb, "--panels", arguments->panels, "DIR...",
           "Serve the panels in these folders to the page, too (docs/adding-a-panel.md)");
  add_definitions(verb, arguments->definitions);
  verb.common(verb.add_flag("--no-browser", arguments->without_browser,
                            "Print the URL of the page and open no browser"));
}

}  // namespace kitbag::cli
