#pragma once

// A verb is its arguments (cli/verbs.h), its words (help.h), its options (in a file of this folder)
// and its work (a file of its name in cli/verbs).

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_line/command_line.h"
#include "cli/command_line/help.h"
#include "cli/command_line/values.h"
#include "cli/context.h"

namespace kitbag::cli {

/// A command line being understood: CLI11's parser, and what it will have asked for.
struct CommandLine {
  CLI::App app{help::kProgram, "kitbag"};
  Command command;
  std::vector<std::string> plugins;

  /// A verb whose arguments are kept in an Arguments; `complete` looks at them when all are there.
  template <class Arguments>
  CLI::App& add_verb(const std::string& name, const char* description, const std::string& footer,
                     std::shared_ptr<Arguments> arguments,
                     int (*verb)(const Arguments&, const Context&),
                     std::function<void()> complete = {}) {
    CLI::App& sub = *app.add_subcommand(name, description);
    sub.group("Verbs");
    add_list(sub, "--plugin", plugins, "FILE",
             "Load a plugin, in addition to those in\nKITBAG_PLUGIN_PATH")
        ->allow_extra_args(false)
        ->group("Plugins");
    sub.footer("\n" + footer);
    sub.callback([this, arguments, verb, complete] {
      if (complete) complete();
      command = [arguments, verb](const Context& context) { return verb(*arguments, context); };
    });
    return sub;
  }
};

// One function adds a verb, or several of one subject.
void add_record(CommandLine& line);
void add_play(CommandLine& line);
void add_pipe(CommandLine& line);
void add_serve(CommandLine& line);
void add_control(CommandLine& line);
void add_info(CommandLine& line);
void add_list_verb(CommandLine& line);
void add_types(CommandLine& line);
void add_du(CommandLine& line);
void add_diff(CommandLine& line);
void add_check(CommandLine& line);
void add_cat(CommandLine& line);
void add_echo(CommandLine& line);
void add_nth(CommandLine& line);
/// `convert` and all its presets.
void add_converts(CommandLine& line);
void add_get(CommandLine& line);
void add_add(CommandLine& line);
/// `repair`, or another name of it.
void add_repair(CommandLine& line, const std::string& name, const char* description);

}  // namespace kitbag::cli
