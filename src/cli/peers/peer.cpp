#include "cli/peers/peer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <optional>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/text.h"

// The tools read their command lines with Python's optparse and argparse, so this follows what both
// do: "--rate=2", "-r2", flags in one word ("-aj"), and long names that are cut short where only
// one fits.
//
// Our line is put together in this order: the verb, the arguments, our words for each option in the
// order of theirs, and what depends on several options. Words with lists come behind the arguments,
// since a list of ours takes all words up to the next option.

namespace kitbag::cli {
namespace {

using Takes = PeerOption::Takes;

std::vector<std::string_view> parts_of(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    std::string_view part = text.substr(0, text.find(by));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

bool has_name(const PeerOption& option, std::string_view name) {
  auto names = parts_of(option.names, ',');
  return std::ranges::find(names, name) != names.end();
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
}

bool is_option(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && !is_number(word.substr(1));
}

/// Reads the words behind the verb.
class Parser {
 public:
  Parser(const PeerVerb& verb, PeerCommand& command) : verb_(verb), command_(command) {}

  void parse(std::span<const std::string> words) {
    words_ = words;
    while (!words_.empty()) {
      std::string word = next();
      if (word == "--") {
        command_.arguments.insert(command_.arguments.end(), words_.begin(), words_.end());
        return;
      }
      if (!is_option(word) && !is_known(word)) {
        command_.arguments.push_back(word);
      } else if (word.starts_with("--")) {
        take_long(word);
      } else {
        take_short(word);
      }
    }
  }

 private:
  /// Also "-1", which would be a number otherwise.
  bool is_known(const std::string& word) const {
    return std::ranges::any_of(verb_.options,
                               [&](const PeerOption& option) { return has_name(option, word); });
  }

  std::string next() {
    std::string word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }

  const PeerOption& named(const std::string& name) const {
    std::vector<std::string> all;
    std::vector<const PeerOption*> begun;
    for (const PeerOption& option : verb_.options) {
      if (has_name(option, name)) return option;
      auto names = parts_of(option.names, ',');
      all.insert(all.end(), names.begin(), names.end());
      auto begins = [&](std::string_view each) { return each.starts_with(name); };
      // "--" and a letter at least: a single letter is a short option or none.
      if (name.size() > 2 && std::ranges::any_of(names, begins)) begun.push_back(&option);
    }
    if (begun.size() == 1) return *begun.front();
    if (begun.size() > 1) {
      command_.refuse(fmt::format("{} may be {} or {}", name, begun[0]->names, begun[1]->names));
    }
    command_.refuse(fmt::format("has no option {}{}", name, nearest_hint(name, all)));
  }

  void take_long(const std::string& word) {
    std::size_t equals = std::min(word.find('='), word.size());
    const PeerOption& option = named(word.substr(0, equals));
    std::optional<std::string> value;
    if (equals < word.size()) value = word.substr(equals + 1);
    take(option, word.substr(0, equals), value);
  }

  /// "-r", "-r2" or "-aj".
  void take_short(const std::string& word) {
    for (std::size_t at = 1; at < word.size(); ++at) {
      std::string name = {'-', word[at]};
      const PeerOption& option = named(name);
      bool is_last = at + 1 == word.size();
      if (option.takes == Takes::nothing || is_last) {
        take(option, name, std::nullopt);
        continue;
      }
      std::string value = word.substr(at + 1);
      return take(option, name, value.starts_with('=') ? value.substr(1) : value);
    }
  }

  void take(const PeerOption& option, const std::string& name, std::optional<std::string> value) {
    if (!option.refusal.empty()) command_.refuse(fmt::format("{}: {}", name, option.refusal));
    PeerCommand::Given given{&option, {}};
    if (value) given.values.push_back(std::move(*value));
    if (value && option.takes == Takes::nothing) {
      command_.refuse(fmt::format("{} takes no value", name));
    }
    if (given.values.empty()) take_next(option.takes, given.values);
    bool needs_value = option.takes == Takes::one || option.takes == Takes::many;
    if (needs_value && given.values.empty()) command_.refuse(name + " needs a value");
    command_.options.push_back(std::move(given));
  }

  void take_next(Takes takes, std::vector<std::string>& values) {
    if (takes == Takes::maybe && !words_.empty() && is_number(words_.front())) {
      values.push_back(next());
    }
    if (takes == Takes::one && !words_.empty()) values.push_back(next());
    while (takes == Takes::many && !words_.empty() && !is_option(words_.front())) {
      values.push_back(next());
    }
  }

  const PeerVerb& verb_;
  PeerCommand& command_;
  std::span<const std::string> words_;
};

const PeerVerb& verb_named(const Peer& peer, const std::string& name) {
  std::vector<std::string> names;
  for (const PeerVerb& verb : peer.verbs) {
    if (verb.name == name) return verb;
    names.emplace_back(verb.name);
  }
  throw Error(ErrorCode::invalid,
              fmt::format("{} has no verb \"{}\"{}; see kitbag {} --help", peer.called, name,
                          nearest_hint(name, names), peer.name));
}

}  // namespace

std::string nearest_hint(std::string_view word, const std::vector<std::string>& names) {
  auto nearest = nearest_texts(word, names, 1);
  return nearest.empty() ? "" : fmt::format("; similar: {}", nearest.front());
}

void add_words(std::string_view pattern, const std::vector<std::string>& values,
               std::vector<std::string>& words) {
  constexpr std::string_view kValue = "{}";
  for (std::string_view word : parts_of(pattern, ' ')) {
    std::size_t place = word.find(kValue);
    if (place == std::string_view::npos) {
      words.emplace_back(word);
      continue;
    }
    for (const std::string& value : values) {
      std::string made(word);
      words.push_back(made.replace(place, kValue.size(), value));
    }
  }
}

bool PeerCommand::has(std::string_view option) const {
  return std::ranges::any_of(options,
                             [&](const Given& given) { return has_name(*given.option, option); });
}

std::vector<std::string> PeerCommand::values(std::string_view option) const {
  std::vector<std::string> all;
  for (const Given& given : options) {
    if (!has_name(*given.option, option)) continue;
    all.insert(all.end(), given.values.begin(), given.values.end());
  }
  return all;
}

std::string PeerCommand::value(std::string_view option, const std::string& otherwise) const {
  auto all = values(option);
  return all.empty() ? otherwise : all.back();
}

void PeerCommand::refuse(std::string_view text) const {
  throw Error(ErrorCode::invalid, fmt::format("{}: {}", name, text));
}

const Peer* peer_named(std::string_view name) {
  for (const Peer* peer :
       {&rosbag_peer(), &ros2_bag_peer(), &mcap_peer(), &rostopic_peer(), &ros2_topic_peer()}) {
    if (peer->name == name) return peer;
  }
  return nullptr;
}

std::vector<std::vector<std::string>> translated(const Peer& peer,
                                                 const std::vector<std::string>& words) {
  const PeerVerb& verb = verb_named(peer, words.front());
  PeerCommand command{fmt::format("{} {}", peer.called, verb.name), {}, {}, {}, {}};
  Parser(verb, command).parse(std::span(words).subspan(1));
  // Before the words are put together, as it may take arguments away and add others.
  if (verb.complete) verb.complete(command);
  std::vector<std::string> made;
  add_words(verb.ours, {}, made);
  made.insert(made.end(), command.arguments.begin(), command.arguments.end());
  for (const PeerCommand::Given& given : command.options) {
    add_words(given.option->ours, given.values, made);
  }
  made.insert(made.end(), command.words.begin(), command.words.end());
  if (command.lines.empty()) return {made};
  for (std::vector<std::string>& line : command.lines) {
    line.insert(line.begin(), made.begin(), made.end());
  }
  return command.lines;
}

std::string shell_line(const std::vector<std::string>& words) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:=+@%,";
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (char letter : word) line += letter == '\'' ? "'\\''" : std::string(1, letter);
    line += '\'';
  }
  return line;
}

const PeerVerb* helped_verb(const Peer& peer, const std::vector<std::string>& words) {
  auto asks = [](const std::string& word) { return word == "-h" || word == "--help"; };
  bool is_asked = words.size() > 1 && std::any_of(words.begin() + 1, words.end(), asks);
  return is_asked ? &verb_named(peer, words.front()) : nullptr;
}

std::string peer_help(const Peer& peer, const PeerVerb& verb) {
  auto ours = parts_of(verb.ours, ' ');
  std::string text = fmt::format("{} {}, as kitbag does it", peer.called, verb.name);
  text += fmt::format("; see also kitbag {} --help.\n\nOptions, and ours:\n", ours.front());
  for (const PeerOption& option : verb.options) {
    std::string_view what = !option.refusal.empty()          ? option.refusal
                            : !option.ours.empty()           ? option.ours
                            : option.takes == Takes::nothing ? "taken"
                                                             : "taken, with its value";
    text +=
        fmt::format("  {:<31} {}{}\n", option.names, option.refusal.empty() ? "" : "no: ", what);
  }
  return text;
}

std::string absolute_topic(const std::string& name) {
  return name.starts_with('/') ? name : "/" + name;
}

std::string seconds_of_ns(const std::string& ns, std::string_view name,
                          const PeerCommand& command) {
  constexpr std::size_t kDigits = 9;
  if (ns.empty() || ns.find_first_not_of("0123456789") != std::string::npos) {
    command.refuse(fmt::format("{}: invalid value \"{}\"", name, ns));
  }
  std::string text = ns.size() > kDigits ? ns : std::string(kDigits + 1 - ns.size(), '0') + ns;
  return text.insert(text.size() - kDigits, ".");
}

std::string local_time(const char* format) {
  std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

}  // namespace kitbag::cli
