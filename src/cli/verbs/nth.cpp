#include <fmt/format.h>

#include <algorithm>

#include "cli/options/definitions.h"
#include "cli/options/inputs.h"
#include "cli/terminal/print.h"
#include "cli/terminal/printed.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/transcode_warnings.h"
#include "cli/verbs.h"
#include "kitbag/pipeline.h"
#include "kitbag/text.h"

// The position is counted in the index, so nothing before the message is read. Only a pipe has to
// be read up to it. Nothing but the message may be the answer: one that is damaged, cannot be
// decoded or is not there is an error, where `cat` would go on with the next one.

namespace kitbag::cli {
namespace {

std::uint64_t count_on_topic(const Summary& summary, const std::string& topic) {
  std::uint64_t count = 0;
  for (std::size_t slot = 0; slot < summary.channels->size(); ++slot) {
    const ChannelPtr& channel = (*summary.channels)[slot];
    if (channel && channel->topic == topic) count += summary.message_counts.at(slot);
  }
  return count;
}

/// `position` counted from the first message. Throws Error (not_found) beyond either end.
std::uint64_t absolute_position(const NthArguments& arguments, std::uint64_t count) {
  bool from_end = arguments.position < 0;
  auto distance = static_cast<std::uint64_t>(arguments.position);
  if (from_end) distance = -distance;  // unsigned: exact for the smallest number too
  if (from_end ? distance <= count : distance < count) {
    return from_end ? count - distance : distance;
  }
  std::string text = fmt::format("{} has {}", arguments.topic, counted(count, "message"));
  if (count == 1) text += "; N must be 0 or -1";
  if (count > 1) {
    text += fmt::format("; N must be from 0 to {}, or from -1 to -{}", count - 1, count);
  }
  throw Error(ErrorCode::not_found, text, arguments.bag);
}

/// `position` in what comes through a pipe, whose end is not known.
std::uint64_t forward_position(const NthArguments& arguments) {
  if (arguments.position >= 0) return static_cast<std::uint64_t>(arguments.position);
  throw Error(ErrorCode::unsupported,
              "a negative position requires a file, not a pipe; save the bag to a file first",
              arguments.bag);
}

}  // namespace

int nth(const NthArguments& arguments, const Context& context) {
  Definitions definitions(arguments.definitions, context.session);
  Inputs inputs({arguments.bag}, arguments.reading, context, {.definitions = &definitions});
  require_topic(arguments.topic, inputs.bags());
  const Bag& bag = *inputs.bags().front();
  Query query;
  query.select.topics = {exact_pattern(arguments.topic)};
  require_fields(arguments.print.fields, query.select, inputs.bags(), context.session);
  query.order = arguments.order;
  query.by = arguments.by;
  query.nth = inputs.has_stream()
                  ? forward_position(arguments)
                  : absolute_position(arguments, count_on_topic(bag.summary(), arguments.topic));
  query.count = 1;
  TranscodeReport report;
  auto sink = printer_to(context, arguments.print, report);
  auto source = bag.read(query);
  Totals totals = run(*source, *sink, context.clock, context.stop);
  require_not_stopped(context.stop);
  int code = inputs.warn();
  definitions.warn();
  warn_of(report);
  if (totals.messages == 0 && inputs.has_stream()) {
    throw Error(ErrorCode::not_found, fmt::format("{} has fewer messages", arguments.topic),
                arguments.bag);
  }
  if (totals.messages == 0) {
    throw Error(ErrorCode::corrupt, "the requested message is damaged", arguments.bag);
  }
  auto is_left_out = [](const auto& of) { return of.second.is_dropped || of.second.skipped > 0; };
  if (std::ranges::any_of(report.topics, is_left_out)) {
    throw Error(ErrorCode::corrupt, "the requested message cannot be decoded", arguments.bag);
  }
  return code;
}

}  // namespace kitbag::cli
