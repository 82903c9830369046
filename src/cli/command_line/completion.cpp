#include "cli/command_line/completion.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "kitbag/bag.h"
#include "kitbag/calls.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/session.h"
#include "kitbag/transcode.h"

// The words are read again here, and not by CLI11, which stops at the first mistake: a line that is
// being typed is full of them. Only as much is understood as is needed to know what the last word
// is: the value of an option, an option, or the argument at some position. A list takes words up to
// the next option, as CLI11 has it.
//
// Topics, types and fields need the bags that the line names, and Tab has to answer at once: at
// most kMostBags are opened, and only by their index. Words from a bag get into a command line, so
// those with a character that means something to a shell are left out.

namespace kitbag::cli {
namespace {

constexpr std::size_t kMostBags = 8;
constexpr std::size_t kMostFields = 5000;
constexpr std::size_t kMostDepth = 16;

/// The words before the one that is completed, as far as completion needs to understand them.
struct Given {
  const CLI::App* verb = nullptr;
  std::vector<std::string> arguments;   ///< without those of options
  const CLI::Option* option = nullptr;  ///< the next word is its value
  std::vector<std::string> topics;      ///< values of --topics
};

constexpr bool is_alphanumeric(char letter) {
  return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
         (letter >= 'A' && letter <= 'Z');
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

/// "TOPIC...", "IN [OUT]": more than one value.
bool is_list(std::string_view placeholder) {
  return placeholder.find("...") != std::string_view::npos ||
         placeholder.find(' ') != std::string_view::npos;
}

const CLI::Option* option_named(const CLI::App& verb, const std::string& name) {
  return verb.get_option_no_throw(name);
}

void add_value(Given& given, const CLI::Option& option, const std::string& value) {
  if (option.check_name("--topics")) given.topics.push_back(value);
}

void take_word(Given& given, const std::string& word) {
  if (word.starts_with('-') && word.size() > 1) {
    std::size_t equals = word.find('=');
    given.option = nullptr;
    const CLI::Option* option = option_named(*given.verb, word.substr(0, equals));
    if (!option || !takes_value(*option)) return;
    if (equals != std::string::npos) return add_value(given, *option, word.substr(equals + 1));
    given.option = option;
    return;
  }
  if (!given.option) return given.arguments.push_back(word);
  add_value(given, *given.option, word);
  if (!is_list(given.option->get_option_text())) given.option = nullptr;
}

const CLI::App* verb_named(const CLI::App& app, const std::string& name) {
  for (const CLI::App* verb : app.get_subcommands({})) {
    if (verb->get_name() == name) return verb;
  }
  return nullptr;
}

/// The placeholder of argument `index`; "" if there are fewer.
std::string argument_placeholder(const CLI::App& verb, std::size_t index) {
  for (const CLI::Option* option :
       verb.get_options([](const CLI::Option* each) { return each->get_positional(); })) {
    const std::string& text = option->get_option_text();
    if (index == 0 || is_list(text)) return text;
    --index;
  }
  return {};
}

/// A shell puts a word into the line as it is: a topic from a bag must not become a command.
bool is_harmless(std::string_view word) {
  constexpr std::string_view kMarks = "_-./:=+@%,";
  return std::ranges::all_of(word, [&](char letter) {
    return is_alphanumeric(letter) || kMarks.find(letter) != std::string_view::npos;
  });
}

class Completer {
 public:
  Completer(Given given, std::string prefix, const Session& session)
      : given_(std::move(given)), prefix_(std::move(prefix)), session_(session) {}

  Completion take() { return std::move(completion_); }

  void add(std::string word, std::string text = {}) {
    if (!word.starts_with(prefix_) || !is_harmless(word)) return;
    if (known_.insert(word).second) completion_.candidates.push_back({std::move(word), text});
  }

  void add_options() {
    for (const CLI::Option* option :
         given_.verb->get_options([](const CLI::Option* each) { return each->nonpositional(); })) {
      for (const std::string& name : option->get_lnames()) {
        add("--" + name, option->get_description());
      }
      for (const std::string& name : option->get_snames()) {
        add("-" + name, option->get_description());
      }
    }
  }

  /// Values for "TOPIC...", "none|lz4" or whatever the help shows.
  void add_values(std::string_view placeholder) {
    // "BAG... topics|schemas": a word of either kind.
    if (std::size_t space = placeholder.find("... "); space != std::string_view::npos) {
      add_values(placeholder.substr(0, space));
      return add_values(placeholder.substr(space + 4));
    }
    if (placeholder.starts_with('[')) placeholder.remove_prefix(1);
    std::string_view word = placeholder.substr(0, placeholder.find_first_of(". ]"));
    if (const Verb::Offer* offer = static_cast<const Verb*>(given_.verb)->offer_of(word)) {
      for (std::string& each : (*offer)(session_)) add(std::move(each));
      return;
    }
    if (word.find('|') != std::string_view::npos) return add_choices(word);
    if (placeholder.starts_with("TOPIC.FIELD")) return add_fields_of_topics();
    if (word == "TOPIC") return add_topics("");
    if (word == "SERVICE") return add_calls(CallTopic::Of::service);
    if (word == "ACTION") return add_calls(CallTopic::Of::action);
    if (word == "OLD:=NEW") return add_topics(":=");
    if (word == "TOPIC=HZ") return add_topics("=");
    if (word == "TYPE") return add_types();
    if (word == "FIELD" || word == "CONDITION") return add_fields();
    if (word == "FORMAT") return add_formats();
    if (word == "URI" || word == "FROM" || word == "TO" || word == "SYSTEM") return add_schemes();
    constexpr std::string_view kFiles[] = {"ARGUMENT", "BAG",  "IN",   "OUT",    "A",  "B",
                                           "DIR",      "FILE", "PATH", "SOCKET", "SRC"};
    completion_.has_files |= std::ranges::find(kFiles, word) != std::end(kFiles);
  }

 private:
  void add_choices(std::string_view words) {
    while (!words.empty()) {
      std::string_view choice = words.substr(0, words.find('|'));
      words.remove_prefix(std::min(choice.size() + 1, words.size()));
      auto has_placeholder = choice.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
      if (has_placeholder != 0) add(std::string(choice.substr(0, has_placeholder)));
    }
  }

  void add_topics(std::string_view behind) {
    for (const ChannelPtr& channel : channels()) {
      add(channel->topic + std::string(behind), std::string(channel->type()));
    }
  }

  void add_calls(CallTopic::Of of) {
    for (const ChannelPtr& channel : channels()) {
      auto call = call_topic(*channel);
      if (call && call->of == of) add(call->name, call->type);
    }
  }

  void add_types() {
    for (const ChannelPtr& channel : channels()) {
      add(std::string(channel->type()), channel->topic);
    }
  }

  void add_formats() {
    for (const Format& format : session_.registry().formats) {
      add(std::string(format.name), std::string(format.description));
    }
  }

  void add_schemes() {
    for (const std::string& scheme : session_.transport_schemes()) add(scheme + "://");
  }

  void add_fields() {
    for (const ChannelPtr& channel : channels()) {
      auto is_given = [&](const std::string& topic) { return topic == channel->topic; };
      if (!given_.topics.empty() && std::ranges::none_of(given_.topics, is_given)) continue;
      try {
        add_fields_of(*type_of(*channel, session_), "", 0);
      } catch (const Error&) {
        // Its definition is missing: it has no fields to offer.
      }
    }
  }

  /// "/odom.pose.pose.position.x": the topic, and then the fields.
  void add_fields_of_topics() {
    for (const ChannelPtr& channel : channels()) {
      std::string path = channel->topic + '.';
      if (!prefix_.starts_with(path)) {
        add(path, std::string(channel->type()));
        continue;
      }
      try {
        add_fields_of(*type_of(*channel, session_), path, 0);
      } catch (const Error&) {
        // Its definition is missing: it has no fields to offer.
      }
    }
  }

  void add_fields_of(const Type& type, const std::string& path, std::size_t depth) {
    const Type* inner = &type;
    while (inner->element) inner = inner->element;
    for (const Field& field : inner->fields) {
      if (depth == kMostDepth || known_.size() >= kMostFields) return;
      std::string name = path + field.name;
      // Only the next part of a path is offered, or lists would have thousands of entries.
      bool is_inside = prefix_.starts_with(name + '.');
      bool has_fields = has_fields_inside(*field.type);
      if (!is_inside) add(has_fields ? name + '.' : name, field.word);
      if (is_inside && has_fields) add_fields_of(*field.type, name + '.', depth + 1);
    }
  }

  static bool has_fields_inside(const Type& type) {
    const Type* inner = &type;
    while (inner->element) inner = inner->element;
    return !inner->fields.empty();
  }

  /// Of the bags on the line.
  const std::vector<ChannelPtr>& channels() {
    if (channels_) return *channels_;
    channels_.emplace();
    for (std::size_t i = 0; i < given_.arguments.size() && i < kMostBags; ++i) {
      try {
        // Without a callback for damage, a bag that would have to be read whole is refused.
        BagPtr bag = session_.open(given_.arguments[i]);
        for (const ChannelPtr& channel : *bag->channels()) {
          if (channel) channels_->push_back(channel);
        }
      } catch (const Error&) {
        // It is no bag, or not yet.
      }
    }
    std::ranges::sort(*channels_, {}, &Channel::topic);
    return *channels_;
  }

  Given given_;
  std::string prefix_;
  Session session_;
  std::optional<std::vector<ChannelPtr>> channels_;
  std::set<std::string> known_;
  Completion completion_;
};

Completion complete_verb(const CLI::App& app, const std::string& prefix, const Session& session) {
  Completer completer({}, prefix, session);
  for (const CLI::App* verb : app.get_subcommands({})) {
    completer.add(verb->get_name(), verb->get_description());
  }
  completer.add(kHelpVerb, "Explain a verb");
  if (prefix.starts_with('-')) {
    for (const char* option : {"--help", "--help-all", "--version"}) completer.add(option);
  }
  return completer.take();
}

}  // namespace

Completion complete(const CommandLine& line, const std::vector<std::string>& words,
                    const Session& session) {
  if (words.size() <= 1) return complete_verb(line.app, words.empty() ? "" : words[0], session);
  if (words[0] == kHelpVerb && words.size() == 2) {
    return complete_verb(line.app, words[1], session);
  }
  Given given;
  given.verb = verb_named(line.app, words[0]);
  if (!given.verb) return {};
  for (std::size_t i = 1; i + 1 < words.size(); ++i) take_word(given, words[i]);
  std::string prefix = words.back();
  std::size_t equals = prefix.find('=');
  std::string name;  // of "--topics=/od": the value alone is completed
  if (prefix.starts_with("--") && equals != std::string::npos) {
    name = prefix.substr(0, equals + 1);
    prefix.erase(0, equals + 1);
    given.option = option_named(*given.verb, name.substr(0, equals));
    if (!given.option) return {};
  }
  bool is_option = name.empty() && prefix.starts_with('-');
  std::string placeholder = given.option
                                ? given.option->get_option_text()
                                : argument_placeholder(*given.verb, given.arguments.size());
  Completer completer(std::move(given), std::move(prefix), session);
  if (is_option) {
    completer.add_options();
  } else {
    completer.add_values(placeholder);
  }
  Completion completion = completer.take();
  // A shell replaces the whole word, so what stands before the value is a part of it again.
  for (Candidate& each : completion.candidates) each.word.insert(0, name);
  return completion;
}

std::string print_completion(const Completion& completion) {
  std::string text = completion.has_files ? "files\n" : "words\n";
  for (const Candidate& each : completion.candidates) {
    text += each.word + '\t' + escaped(each.text) + '\n';
  }
  return text;
}

}  // namespace kitbag::cli
