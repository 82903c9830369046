#include "cli/terminal/transcode_warnings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "cli/terminal/print.h"

// At most one line for what became of a topic's messages, with the first error as an example: a bag
// may hold millions of messages that cannot be decoded for one reason. What was left out of
// messages that were kept is said apart from that.

namespace kitbag::cli {
namespace {

/// One line for all topics that have no columns in CSV.
void warn_of_columns(const TranscodeReport& report, const std::string& about) {
  std::uint64_t topics = 0;
  std::uint64_t messages = 0;
  std::string columns_of;
  for (const auto& [topic, lost] : report.topics) {
    if (lost.columns_of.empty()) continue;
    columns_of = lost.columns_of;
    ++topics;
    messages += lost.skipped;
  }
  if (topics == 0) return;
  print_warning(fmt::format(
      "{}CSV has columns for one type, here that of {}; {} of {} with other types left out; choose "
      "with --topics, or write a file for each topic with kitbag cat --split-by-topic DIR",
      about, columns_of, counted(messages, "message"), counted(topics, "topic")));
}

/// "the fields frame_id and topics, which are left out", of "frame_id, topics".
std::string fields_left_out(std::string names) {
  std::size_t comma = names.rfind(", ");
  if (comma == std::string::npos) return fmt::format("the field {}, which is left out", names);
  names.replace(comma, 2, " and ");
  return fmt::format("the fields {}, which are left out", names);
}

/// What became of the messages of a topic; empty: nothing, or warn_of_columns() tells.
std::string messages_text(const std::string& topic, const TranscodeReport::Topic& lost) {
  if (!lost.columns_of.empty()) return {};
  if (lost.is_dropped) return lost.first_error + "; the topic is left out";
  if (lost.skipped > 0) {
    return fmt::format("{}: {} left out; {}", topic, counted(lost.skipped, "message"),
                       lost.first_error);
  }
  if (lost.raw > 0) {
    return fmt::format("{}: {} not decoded; {}", topic, counted(lost.raw, "message"),
                       lost.first_error);
  }
  return lost.first_error;
}

}  // namespace

void warn_of(const TranscodeReport& report, const std::string& about) {
  auto warn = [&about](const std::string& text) { print_warning(about + text); };
  std::vector<std::string> idle;
  for (const auto& [type, is_used] : report.rules) {
    if (!is_used) idle.push_back(type);
  }
  if (!idle.empty()) {
    warn(fmt::format("the rules for {} apply to no topic", fmt::join(idle, ", ")));
  }
  warn_of_columns(report, about);
  for (const auto& [topic, lost] : report.topics) {
    std::string text = messages_text(topic, lost);
    if (!text.empty()) warn(text);
    if (lost.replaced_texts > 0) {
      warn(fmt::format(
          "{}: {} with strings that are not UTF-8; each invalid byte is replaced by U+FFFD", topic,
          counted(lost.replaced_texts, "message")));
    }
    if (!lost.left_out.empty()) {
      warn(fmt::format("{}: {} has no place for {}", topic, lost.new_type,
                       fields_left_out(lost.left_out)));
    }
    if (lost.lost_counters > 0) {
      warn(fmt::format("{}: the counter (seq) of a nested header is dropped in {}", topic,
                       counted(lost.lost_counters, "message")));
    }
  }
}

}  // namespace kitbag::cli
