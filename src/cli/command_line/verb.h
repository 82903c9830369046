#pragma once

// A verb consists of its arguments (cli/verbs.h), its options and help texts (in a file of this
// folder), and its implementation (in a file of its name in cli/verbs).
//
// `kitbag VERB --help` is for people in a hurry: it shows the common options only, and fits on a
// screen. An option is common if its declaration says so, with Verb::common(); `--help-all` shows
// all options in their groups. There is no other list of options.

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command_line/command_line.h"
#include "cli/command_line/values.h"
#include "cli/context.h"

namespace kitbag::cli {

/// The help texts of a verb, without those of its arguments and options.
struct VerbText {
  const char* summary;     ///< one line, also in the list of verbs
  const char* more = "";   ///< another sentence
  const char* examples;    ///< two or three command lines
  const char* notes = "";  ///< for --help-all
};

/// A verb being declared: the parser of its arguments.
class Verb : public CLI::App {
 public:
  /// `settings` outlive the parsing.
  Verb(const std::string& name, const VerbText& text, SessionSettings& settings)
      : App(text.summary, name), text_(text), settings_(settings) {}

  const VerbText& text() const { return text_; }
  /// Where options that concern the session are parsed into.
  SessionSettings& settings() const { return settings_; }

  /// Makes --help show an option, in the order of declaration. Returns `option`.
  CLI::Option* common(CLI::Option* option) {
    common_.insert(option);
    return option;
  }
  /// Makes --help leave out an option that is common in other verbs.
  void rare(const CLI::Option* option) { common_.erase(option); }
  bool is_common(const CLI::Option* option) const { return common_.contains(option); }

  /// Explains a word for which the verb has no place; "": in no special way.
  using ExplainWord = std::function<std::string(const std::string& word)>;
  void explain_words(ExplainWord explain) { explain_word_ = std::move(explain); }
  std::string explain_word(const std::string& word) const {
    return explain_word_ ? explain_word_(word) : std::string();
  }

  /// Words that a completion offers where the help shows `placeholder`, in place of those that it
  /// offers elsewhere.
  using Offer = std::function<std::vector<std::string>(const Session&)>;
  void offer(const std::string& placeholder, Offer words) {
    offers_[placeholder] = std::move(words);
  }
  /// Null: there are none.
  const Offer* offer_of(std::string_view placeholder) const {
    auto found = offers_.find(placeholder);
    return found == offers_.end() ? nullptr : &found->second;
  }

 private:
  VerbText text_;
  SessionSettings& settings_;
  std::set<const CLI::Option*> common_;
  ExplainWord explain_word_;
  std::map<std::string, Offer, std::less<>> offers_;
};

// The groups of the list of verbs.
inline constexpr char kLiveVerbs[] = "Live systems";
inline constexpr char kReadingVerbs[] = "Reading bags";
inline constexpr char kWritingVerbs[] = "Writing bags";
inline constexpr char kPeerVerbs[] = "Command lines of other tools";

/// `kitbag help VERB` is `kitbag VERB --help`; no verb of its own.
inline constexpr char kHelpVerb[] = "help";

/// A command line that is parsed: CLI11's parser, and the command that results.
struct CommandLine {
  CLI::App app{"", "kitbag"};
  Command command;
  SessionSettings settings;
  std::string wanted;  ///< the only verb that is added; empty: all are

  bool wants(std::string_view name) const { return wanted.empty() || wanted == name; }

  /// Adds a verb whose arguments are stored in an Arguments; `complete` is called after parsing.
  template <class Arguments>
  Verb& add_verb(const std::string& name, const char* group, const VerbText& text,
                 std::shared_ptr<Arguments> arguments,
                 int (*work)(const Arguments&, const Context&),
                 std::function<void()> complete = {}) {
    auto verb = std::make_shared<Verb>(name, text, settings);
    app.add_subcommand(verb);
    verb->group(group);
    add_general(*verb);
    verb->callback([this, arguments, work, complete] {
      if (complete) complete();
      command = [arguments, work](const Context& context) { return work(*arguments, context); };
    });
    return *verb;
  }

 private:
  /// -h, --help-all and --plugin.
  void add_general(Verb& verb);
};

/// A command line with all verbs, or with the one that is wanted: to declare all takes longer than
/// most of them run.
std::unique_ptr<CommandLine> make_command_line(std::string_view wanted = {});

// One function adds a verb, or those of one subject that are wanted.
void add_record(CommandLine& line);
void add_play(CommandLine& line);
void add_topics_verb(CommandLine& line);
void add_pipe(CommandLine& line);
void add_serve(CommandLine& line);
void add_publish(CommandLine& line);
void add_control(CommandLine& line);
void add_upload(CommandLine& line);
void add_view(CommandLine& line);
void add_find(CommandLine& line);
void add_catalog(CommandLine& line);
void add_batch(CommandLine& line);
void add_ls(CommandLine& line);
void add_cp(CommandLine& line);
void add_info(CommandLine& line);
void add_list_verb(CommandLine& line);
void add_types(CommandLine& line);
void add_du(CommandLine& line);
void add_stats(CommandLine& line);
void add_diff(CommandLine& line);
void add_check(CommandLine& line);
void add_cat(CommandLine& line);
void add_export(CommandLine& line);
void add_plot(CommandLine& line);
void add_import(CommandLine& line);
void add_echo(CommandLine& line);
void add_nth(CommandLine& line);
void add_sql(CommandLine& line);
void add_head(CommandLine& line);
void add_tail(CommandLine& line);
/// `convert` and all its presets.
void add_converts(CommandLine& line);
void add_get(CommandLine& line);
void add_add(CommandLine& line);
/// `repair` and its other names.
void add_repairs(CommandLine& line);
/// The tools whose command lines kitbag takes.
void add_peers(CommandLine& line);

/// What the processes do that `kitbag batch` starts (cli/options/batch_commands.h), by the
/// arguments behind kBatchServeOption and kBatchTaskOption.
ParsedCommand batch_server(const std::vector<std::string>& arguments);
ParsedCommand batch_task_command(const std::vector<std::string>& arguments);

}  // namespace kitbag::cli
