#include "cli/command_line/values.h"

#include <algorithm>

#include "kitbag/error.h"

namespace kitbag::cli {
namespace {

/// No argument that a person types begins with it.
constexpr char kBracketMark = '\x01';

}  // namespace

void throw_invalid(const std::string& text) {
  throw Error(ErrorCode::invalid, text);
}

std::string marked(std::string value) {
  if (value.starts_with('[') && value.ends_with(']')) value.insert(0, 1, kBracketMark);
  return value;
}

std::string unmarked(std::string value) {
  if (value.starts_with(kBracketMark)) value.erase(0, 1);
  return value;
}

CLI::Option* add_list(CLI::App& app, const std::string& name, std::vector<std::string>& into,
                      const std::string& value, const std::string& description) {
  return app.add_option(name, into, description)->transform(unmarked)->option_text(value);
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words(1);
  bool is_in_set = false;
  bool is_escaped = false;
  for (char c : text) {
    if (is_escaped || c == '\\') {  // as globs have it: \, is a comma of the name
      words.back() += c;
      is_escaped = !is_escaped;
      continue;
    }
    if (c == '[') is_in_set = true;
    if (c == ']') is_in_set = false;
    if (c == ',' && !is_in_set) {
      words.emplace_back();
    } else if (c != ' ' || !words.back().empty()) {
      words.back() += c;
    }
  }
  // "/a," and "/a, /b" are lists with gaps. An empty word alone stays: some topics have no name.
  bool has_several = words.size() > 1;
  if (has_several) std::erase(words, "");
  return words;
}

CLI::Option* add_words(CLI::App& app, const std::string& name, std::vector<std::string>& into,
                       const std::string& value, const std::string& description) {
  auto take = [&into](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      for (std::string& word : split_words(text)) into.push_back(std::move(word));
    }
  };
  return app.add_option_function<std::vector<std::string>>(name, take, description)
      ->transform(unmarked)
      ->option_text(value);
}

CLI::Option* add_taken(CLI::App& app, const std::string& name,
                       std::function<void(const std::string&)> take, const std::string& value,
                       const std::string& description) {
  // Functions that parse values know no options, so the name is put before what they say.
  auto take_text = [shown = long_name(name), take = std::move(take)](const std::string& text) {
    try {
      take(unmarked(text));
    } catch (const Error& error) {
      throw_invalid(fmt::format("{}: {}", shown, error.what()));
    }
  };
  return app.add_option_function<std::string>(name, take_text, description)->option_text(value);
}

CLI::Option* add_named(CLI::App& app, const std::string& name, std::vector<std::string> names,
                       std::function<void(std::size_t)> take, const std::string& description) {
  std::string shown = fmt::format("{}", fmt::join(names, "|"));
  auto take_name = [names = std::move(names), take = std::move(take),
                    shown](const std::string& text) {
    auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) {
      throw_invalid(fmt::format("invalid value \"{}\"; expected one of {}", text, shown));
    }
    take(static_cast<std::size_t>(found - names.begin()));
  };
  return add_taken(app, name, take_name, shown, description);
}

std::uint64_t parse_positive_size(const std::string& text) {
  std::uint64_t size = parse_size(text);
  if (size == 0) throw_invalid("must be greater than 0");
  return size;
}

Duration parse_positive_duration(const std::string& text) {
  Duration duration = parse_duration(text);
  if (duration <= Duration::zero()) throw_invalid("must be greater than 0");
  return duration;
}

Duration parse_signed_duration(const std::string& text) {
  bool is_negative = text.starts_with('-');
  bool has_sign = is_negative || text.starts_with('+');
  Duration duration = parse_duration(has_sign ? text.substr(1) : text);
  return is_negative ? -duration : duration;
}

Time parse_absolute_time(const std::string& text) {
  TimePoint point = parse_time(text);
  if (point.from != TimePoint::From::epoch) throw_invalid("must be an absolute time");
  return Time(point.offset);
}

std::string long_name(const std::string& names) {
  std::size_t begin = names.find("--");
  if (begin == std::string::npos) begin = 0;
  return names.substr(begin, names.find(',', begin) - begin);
}

}  // namespace kitbag::cli
