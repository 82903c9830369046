#pragma once

// Options and arguments by the kind of their value: text, number, choice, or a value that a
// function parses. CLI11 splits the command line; kitbag itself parses the values and reports
// errors in them, so that all options report errors in the same form.
//
// CLI11 is expensive to compile: only the files of this folder include it.

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "kitbag/text.h"
#include "kitbag/time.h"

namespace kitbag::cli {

[[noreturn]] void throw_invalid(const std::string& text);

// CLI11 interprets a value "[a,b]" as a list of two; in a glob or an expression it is a set of
// characters. Arguments are marked before CLI11 sees them, and values are unmarked after it.
std::string marked(std::string value);
std::string unmarked(std::string value);

/// An option or argument that takes one or more values. `into` and all targets below must outlive
/// the parsing.
CLI::Option* add_list(CLI::App& app, const std::string& name, std::vector<std::string>& into,
                      const std::string& value, const std::string& description);

/// The same, for values without commas, such as names of topics and globs: "/a,/b" is two values.
/// Values are appended to `into`.
CLI::Option* add_words(CLI::App& app, const std::string& name, std::vector<std::string>& into,
                       const std::string& value, const std::string& description);

/// The words of "/a,/b". A comma in a set of characters, as in "/a[b,c]", separates nothing, nor
/// does one after a backslash, which stays: "/a\,b" is a glob that matches "/a,b".
std::vector<std::string> split_words(std::string_view text);

/// "--all" for "-a,--all"; the first one of several long names.
std::string long_name(const std::string& names);

/// An option with one value, which is passed to `take`. Errors name the option.
CLI::Option* add_taken(CLI::App& app, const std::string& name,
                       std::function<void(const std::string&)> take, const std::string& value,
                       const std::string& description);

/// An option with one value, which `parse` parses.
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

/// An option that takes a whole number. (CLI11 would read -1 as the largest count.)
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

/// An option with a fixed set of values, by name. `take` gets the number of the chosen one, from 0.
CLI::Option* add_named(CLI::App& app, const std::string& name, std::vector<std::string> names,
                       std::function<void(std::size_t)> take, const std::string& description);

/// The same, with what each name means.
template <class T>
CLI::Option* add_choice(CLI::App& app, const std::string& name, T& into,
                        std::vector<std::pair<std::string, T>> choices,
                        const std::string& description) {
  std::vector<std::string> names;
  names.reserve(choices.size());
  for (const auto& choice : choices) names.push_back(choice.first);
  auto take = [&into, choices = std::move(choices)](std::size_t chosen) {
    into = choices[chosen].second;
  };
  return add_named(app, name, std::move(names), std::move(take), description);
}

/// parse_time() for options whose times cannot be relative.
Time parse_absolute_time(const std::string& text);
/// parse_size() and parse_duration() for values that must be greater than zero.
std::uint64_t parse_positive_size(const std::string& text);
Duration parse_positive_duration(const std::string& text);
/// parse_duration(), with a sign in front.
Duration parse_signed_duration(const std::string& text);

}  // namespace kitbag::cli
