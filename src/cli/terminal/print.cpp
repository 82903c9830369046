#include "cli/terminal/print.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "cli/terminal/standard_streams.h"
#include "kitbag/escape.h"
#include "kitbag/text.h"

// Results go to standard output. What is said about the work goes to standard error, each sentence
// a line that begins with "kitbag:", so that a pipe gets results alone and a log shows who has
// spoken. Such sentences quote bags and names of files, so they are escaped here, in one place, and
// can neither move the cursor nor begin a line of their own.

namespace kitbag::cli {
namespace {

bool stderr_is_terminal() {
  return isatty(STDERR_FILENO) == 1;
}

const char* style_code(Style style) {
  switch (style) {
    case Style::bold:
      return "\x1b[1m";
    case Style::yellow:
      return "\x1b[33m";
    case Style::red:
      return "\x1b[31m";
  }
  return "";
}

}  // namespace

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, 1, ',');
  return digits;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
}

std::size_t count_topics(const ChannelsPtr& channels) {
  std::set<std::string_view> topics;
  if (channels) {
    for (const ChannelPtr& channel : *channels) {
      if (channel) topics.insert(channel->topic);
    }
  }
  return topics.size();
}

std::string describe(const Totals& totals, const ChannelsPtr& channels) {
  return fmt::format("{}, {}, {} payload", counted(totals.messages, "message"),
                     counted(count_topics(channels), "topic"), format_size(totals.bytes));
}

bool has_colors(bool is_terminal) {
  // As no-color.org has it: any value counts but an empty one.
  const char* no_color = std::getenv("NO_COLOR");
  return is_terminal && !(no_color && *no_color);
}

std::string styled(std::string_view text, Style style, bool is_terminal) {
  if (!has_colors(is_terminal)) return std::string(text);
  return fmt::format("{}{}\x1b[0m", style_code(style), text);
}

void print_error(std::string_view text) {
  write_error(
      fmt::format("{} {}\n", styled("kitbag:", Style::red, stderr_is_terminal()), escaped(text)));
}

void print_note(std::string_view text) {
  write_error(fmt::format("kitbag: {}\n", escaped(text)));
}

void print_warning(std::string_view text) {
  write_error(fmt::format("kitbag: {} {}\n",
                          styled("warning:", Style::yellow, stderr_is_terminal()), escaped(text)));
}

void print_warnings_of_files(const std::vector<Error>& warnings) {
  struct Said {
    std::string words;
    std::string text;
    std::size_t more_files = 0;
  };
  std::vector<Said> all;
  for (const Error& warning : warnings) {
    std::string words = warning.message();
    // Messages of one kind differ by counts, offsets and times.
    std::erase_if(words, [](char c) { return c >= '0' && c <= '9'; });
    auto known = std::ranges::find(all, words, &Said::words);
    if (known == all.end()) {
      all.push_back({std::move(words), warning.what()});
    } else {
      ++known->more_files;
    }
  }
  for (const Said& said : all) {
    std::string more;
    if (said.more_files > 0) {
      more = fmt::format(" (and similarly for {})", counted(said.more_files, "more file"));
    }
    print_warning(said.text + more);
  }
}

}  // namespace kitbag::cli
