#pragma once

// CLI11 is expensive to compile: this header and the four files that include it are all that
// sees it. A verb is its arguments (verbs.h), its options (command_line.cpp, convert_options.cpp,
// live_options.cpp), its words (help.h) and its work (a file of its name in verbs).

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <charconv>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_line.h"
#include "cli/options/help.h"
#include "cli/options/inputs.h"
#include "cli/options/payload_stages.h"
#include "cli/options/select.h"
#include "kitbag/error.h"
#include "kitbag/pipeline.h"
#include "kitbag/print.h"

namespace kitbag::cli {

[[noreturn]] void throw_invalid(const std::string& text);

// CLI11 takes a value "[a,b]" for a list of two; in a glob or an expression it is a set of letters.
// Arguments are marked before CLI11 sees them, and values unmarked behind it.
std::string marked(std::string value);
std::string unmarked(std::string value);

/// An option, or an argument, that takes one value or more. `into` and all targets below must
/// outlive the parsing.
CLI::Option* add_list(CLI::App& app, const std::string& name, std::vector<std::string>& into,
                      const std::string& value, const std::string& description);

/// "--all" of "-a,--all"; of several long names the first.
std::string long_name(const std::string& names);

/// An option whose one value `take` is given; its errors are told with the option's name.
template <class Take>
CLI::Option* add_taken(CLI::App& app, const std::string& name, Take take, const std::string& value,
                       const std::string& description) {
  auto take_text = [shown = long_name(name), take](const std::string& text) {
    try {
      take(unmarked(text));
    } catch (const Error& error) {
      throw_invalid(fmt::format("{}: {}", shown, error.what()));
    }
  };
  return app.add_option_function<std::string>(name, take_text, description)->option_text(value);
}

/// An option whose one value `parse` understands.
template <class T, class Parse>
CLI::Option* add_parsed(CLI::App& app, const std::string& name, T& into, Parse parse,
                        const std::string& value, const std::string& description) {
  auto take = [&into, parse](const std::string& text) { into = parse(text); };
  return add_taken(app, name, take, value, description);
}

inline CLI::Option* add_text(CLI::App& app, const std::string& name, std::string& into,
                             const std::string& value, const std::string& description) {
  return add_parsed(
      app, name, into, [](std::string text) { return text; }, value, description);
}

/// An option that takes a whole number. (CLI11 would take -1 for the largest count there is.)
template <class T>
CLI::Option* add_number(CLI::App& app, const std::string& name, T& into, const std::string& value,
                        const std::string& description, T least = std::numeric_limits<T>::min(),
                        T most = std::numeric_limits<T>::max()) {
  auto parse = [least, most](const std::string& text) {
    T number{};
    const char* end = text.data() + text.size();
    auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc() && rest == end && number >= least && number <= most) return number;
    throw_invalid(
        fmt::format("invalid value \"{}\"; expected an integer from {} to {}", text, least, most));
  };
  return add_parsed(app, name, into, parse, value, description);
}

/// An option with a fixed set of values, by name.
template <class T>
CLI::Option* add_choice(CLI::App& app, const std::string& name, T& into,
                        std::vector<std::pair<std::string, T>> choices,
                        const std::string& description) {
  std::string names;
  for (const auto& choice : choices) names += (names.empty() ? "" : "|") + choice.first;
  auto parse = [choices, names](const std::string& text) {
    for (const auto& [choice, meaning] : choices) {
      if (choice == text) return meaning;
    }
    throw_invalid(fmt::format("invalid value \"{}\"; expected one of {}", text, names));
  };
  return add_parsed(app, name, into, parse, names, description);
}

/// parse_time() for where there is nothing that a time could be relative to.
Time parse_absolute_time(const std::string& text);
/// parse_size and parse_duration for what must be more than nothing.
std::uint64_t parse_positive_size(const std::string& text);
Duration parse_positive_duration(const std::string& text);

// Options that several verbs share.
void add_strict(CLI::App& app, ReadingOptions& reading);
/// --storage-format and --no-crc.
void add_taking_for(CLI::App& app, ReadingOptions& reading);
/// "-f,--force": what is written may replace a file.
CLI::Option* add_force(CLI::App& app, bool& may_replace, const std::string& description);
CLI::Option* add_gpg_key(CLI::App& app, std::string& gpg_key, const std::string& description);
/// What all verbs that only read have: add_taking_for() and --gpg-key.
void add_reading(CLI::App& app, ReadingOptions& reading);
void add_definitions(CLI::App& app, std::vector<std::string>& folders);
void add_order(CLI::App& app, Order& order, TimeField& by);
/// Topics and types, without times and counts.
void add_topics(CLI::App& app, Selection& select);
void add_select(CLI::App& app, SelectOptions& select);
/// --start, --end and --duration.
void add_range(CLI::App& app, SelectOptions& select);
/// --by.
void add_by(CLI::App& app, TimeField& by);
/// How a bag is written. `compression` is what the help calls the default.
void add_storage(CLI::App& app, WriteOptions& write, const std::string& compression);
/// --split-size, --split-duration and --split-messages.
std::vector<CLI::Option*> add_split(CLI::App& app, SplitLimits& split, const std::string& group);
/// --on-error.
void add_on_error(CLI::App& app, OnError& on_error, const std::string& description);
/// --rename, and parse_renames() for what it was given.
CLI::Option* add_renames(CLI::App& app, const std::string& name, std::vector<std::string>& into);
std::vector<std::pair<std::string, std::string>> parse_renames(
    const std::vector<std::string>& texts);
/// --to-definitions and --migrate.
void add_evolution(CLI::App& app, TranscodingOptions& transcoding);
/// --where, --definitions and add_evolution().
void add_payload(CLI::App& app, PayloadOptions& payload);
/// add_payload(), --encoding and --on-error.
void add_transcoding(CLI::App& app, PayloadOptions& payload, const std::string& on_error);
/// How decoded messages are printed.
void add_print(CLI::App& app, PrintOptions& print);
/// Throws Error (invalid) when --start, --end and --duration contradict one another.
void require_plain_range(const SelectOptions& select);

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

/// `convert` and all its presets.
void add_converts(CommandLine& line);
// The verbs for live systems.
void add_record(CommandLine& line);
void add_play(CommandLine& line);
void add_pipe(CommandLine& line);
void add_control(CommandLine& line);

}  // namespace kitbag::cli
