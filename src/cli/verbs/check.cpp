#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "cli/terminal/json.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/signals.h"
#include "cli/verbs.h"
#include "kitbag/bag_info.h"
#include "kitbag/escape.h"
#include "kitbag/open.h"
#include "kitbag/text.h"
#include "kitbag/usage.h"

namespace kitbag::cli {
namespace {

/// Nobody could look: no finding about the bag.
bool is_out_of_reach(const Error& error) {
  return !is_damage(error.code());
}

std::string soundness(const std::string& path, const ReadingOptions& reading,
                      const Context& context) {
  BagPtr bag = context.session.open(path, reading.with({}));
  const Summary& summary = bag->summary();
  std::uint64_t chunks = has_chunk_count(summary) ? summary.chunks : bag->chunks().size();
  return fmt::format("sound, {}, {}, {}, {}", counted(summary.messages, "message"),
                     counted(count_topics(summary.channels), "topic"), counted(chunks, "chunk"),
                     format_size(summary.size_bytes));
}

/// "2 errors, 1 note"; empty where nothing was found.
std::string counts_text(const Findings& findings) {
  std::string text;
  for (Severity severity : {Severity::error, Severity::warning, Severity::note}) {
    std::uint64_t count = findings.count(severity);
    if (count == 0) continue;
    text += (text.empty() ? "" : ", ") + counted(count, to_string(severity));
  }
  return text;
}

/// Prints what is found in one bag; true: it is sound.
bool check_one(const std::string& path, const CheckArguments& arguments, const Context& context) {
  const ReadingOptions& reading = arguments.reading;
  Findings findings;
  auto on_finding = [&](const Error& finding, Severity severity) {
    if (!arguments.as_json) {
      context.out.line("{}: {}", to_string(severity), problem_text(finding));
    }
    findings.add(finding, severity);
  };
  auto on_problem = [&](const Error& finding) { on_finding(finding, severity_of(finding)); };
  std::string verdict;
  try {
    context.session.check(path, reading.with(on_problem),
                          {.decoded_messages = arguments.decoded_messages});
    // Opened once more, strictly: a bag that is called sound must also open for who allows no
    // damage.
    if (findings.is_sound() && !arguments.as_json) verdict = soundness(path, reading, context);
  } catch (const Error& error) {  // what is no bag at all is a finding too
    if (is_out_of_reach(error)) throw;
    on_finding(error, Severity::error);
  }
  if (arguments.as_json) {
    context.out.write(check_json(shown_path(path), findings) + "\n");
    return findings.is_sound();
  }
  std::string counts = counts_text(findings);
  if (!verdict.empty() && !counts.empty()) verdict += ", ";
  context.out.line("{}: {}", shown_path(path), verdict + counts);
  return findings.is_sound();
}

/// Prints how each channel stands to the definitions given; true: none would be refused.
bool compare_definitions(const std::string& path, const CheckArguments& arguments,
                         const Context& context) {
  TranscodeOptions options = arguments.transcoding.with(OnError::stop, nullptr);
  BagPtr bag = context.session.open(path, arguments.reading.with([](const Error&) {}));
  std::set<std::pair<std::string, std::string>> seen;
  bool is_possible = true;
  ChannelsPtr channels = counted_summary(*bag, context.stop).channels;
  for (const ChannelPtr& channel : *channels) {
    if (!seen.emplace(channel->topic, channel->type()).second) continue;
    Evolution evolution = evolution_of(*channel, options, context.session);
    std::string verdict;
    switch (evolution.outcome) {
      case Evolution::Outcome::same:
        verdict = "the same definition";
        break;
      case Evolution::Outcome::carried:
        verdict = fmt::format("another definition, can be converted to {}", evolution.type);
        break;
      case Evolution::Outcome::refused:
        verdict = "another definition, cannot be converted: " + evolution.reason;
        is_possible = false;
        break;
      case Evolution::Outcome::undefined:
        verdict = "not compared: " + evolution.reason;
    }
    if (arguments.as_json) {
      context.out.write(evolution_json(path, *channel, evolution) + "\n");
    } else {
      context.out.line("{}: {} ({}): {}", shown_path(path), channel->topic, channel->type(),
                       verdict);
    }
  }
  return is_possible;
}

}  // namespace

int check(const CheckArguments& arguments, const Context& context) {
  // A check only reads, and one chunk may take longer than a person waits.
  ExitOnStop nothing_to_clean_up(context.stop);
  return for_each_bag(arguments.bags.paths(context), context, [&](const std::string& path) {
    require_one_bag(path, context.session);
    bool is_sound = arguments.transcoding.any() ? compare_definitions(path, arguments, context)
                                                : check_one(path, arguments, context);
    return is_sound ? kDone : kNotSo;
  });
}

}  // namespace kitbag::cli
