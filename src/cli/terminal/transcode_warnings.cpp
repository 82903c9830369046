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

void warn_of(const TranscodeReport& report, const std::string& about) {
  auto warn = [&about](const std::string& text) { print_warning(about + text); };
  std::vector<std::string> idle;
  for (const auto& [type, is_used] : report.rules) {
    if (!is_used) idle.push_back(type);
  }
  if (!idle.empty()) {
    warn(fmt::format("the rules for {} apply to no topic", fmt::join(idle, ", ")));
  }
  for (const auto& [topic, lost] : report.topics) {
    if (lost.is_dropped) {
      warn(lost.first_error + "; the topic is left out");
    } else if (lost.skipped > 0) {
      warn(fmt::format("{}: {} left out; {}", topic, counted(lost.skipped, "message"),
                       lost.first_error));
    } else if (lost.raw > 0) {
      warn(fmt::format("{}: {} not decoded; {}", topic, counted(lost.raw, "message"),
                       lost.first_error));
    } else if (!lost.first_error.empty()) {
      warn(lost.first_error);
    }
    if (lost.replaced_texts > 0) {
      warn(fmt::format(
          "{}: {} with strings that are not UTF-8; each invalid byte is replaced by U+FFFD", topic,
          counted(lost.replaced_texts, "message")));
    }
    if (!lost.left_out.empty()) {
      warn(fmt::format("{}: the new type has no place for {}", topic, lost.left_out));
    }
    if (lost.lost_counters > 0) {
      warn(fmt::format("{}: the counter (seq) of a nested header is dropped in {}", topic,
                       counted(lost.lost_counters, "message")));
    }
  }
}

}  // namespace kitbag::cli
