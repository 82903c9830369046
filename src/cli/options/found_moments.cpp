#include "cli/options/found_moments.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/options/inputs.h"
#include "cli/terminal/json.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/verbs.h"
#include "kitbag/escape.h"
#include "kitbag/open.h"
#include "kitbag/paths.h"
#include "kitbag/text.h"
#include "server/api/url.h"

// Events and cuts are written when a bag has ended, and not when the search has: a search of many
// bags may take long, and be interrupted.

namespace kitbag::cli {

std::string served_name(const std::string& path) {
  return location_of(path) ? path : name_at(path);
}

std::string link_to(const MomentOptions& options, const std::string& served_name, Time bag_start,
                    Time time) {
  if (options.links.empty()) return {};
  std::string link = options.links;
  // The page may be behind a proxy that needs parameters of its own.
  if (link.find('?') == std::string::npos) {
    link += link.ends_with('/') ? "?" : "/?";
  } else if (!link.ends_with('?') && !link.ends_with('&')) {
    link += '&';
  }
  // The page counts seconds from the start of the bag. Rounded up, the message is in the past.
  constexpr std::int64_t kMillisecond = 1'000'000;
  std::int64_t ns = std::max<std::int64_t>(0, saturating_difference(bag_start, time).count());
  std::int64_t ms = ns / kMillisecond + (ns % kMillisecond > 0 ? 1 : 0);
  return fmt::format("{}bag={}&t={}.{:03}", link, server::encode_segment(served_name), ms / 1000,
                     ms % 1000);
}

namespace {

/// ", 3 were there"; nothing for none.
std::string were_there(std::uint64_t count) {
  if (count == 0) return {};
  return fmt::format(", {} {} there", grouped(count), count == 1 ? "was" : "were");
}

}  // namespace

FoundMoments::FoundMoments(const MomentOptions& options, bool as_json, const Context& context)
    : options_(options),
      as_json_(as_json),
      context_(context),
      around_(options.cut.value_or(Duration::zero())) {}

void FoundMoments::take(const std::string& path, const std::string& link, const Moment& moment) {
  has_any_ = true;
  Output& out = context_.out;
  if (as_json_) {
    out.write(moment_json(path, moment, link) + "\n");
  } else {
    out.line("{}: {} {} {}; {}, {}{}{}", shown_path(path), format_time(moment.start), moment.topic,
             moment.value, counted(moment.messages, "message"),
             format_duration(saturating_difference(moment.start, moment.end)),
             link.empty() ? "" : "; ", link);
  }
  if (options_.cut) around_.add(moment);
  if (!options_.events.empty()) {
    events_.push_back({.start = moment.start, .end = moment.end, .name = options_.events});
  }
}

void FoundMoments::note_events(Catalog& catalog, std::int64_t bag) {
  if (events_.empty()) return;
  std::uint64_t added = catalog.add_events(bag, events_);
  new_events_ += added;
  known_events_ += events_.size() - added;
  events_.clear();
}

void FoundMoments::cut(const std::string& path, const Bag& bag) {
  if (around_.is_empty()) return;
  if (bag.summary().is_stream) {
    throw Error(ErrorCode::unsupported, "--cut reads a bag twice; save the bag to a file first",
                path);
  }
  CutOptions how{.folder = options_.to,
                 .may_replace = options_.may_replace,
                 .has_key_frames = options_.with_key_frames};
  write_cuts(
      path, bag, around_.take(), how, context_.session,
      [&](const Cut& cut, const Error* error) { print_cut(path, cut, error); }, context_.stop);
}

void FoundMoments::fail_to_cut(const Error& error) {
  failed_ += around_.take().size();
  context_.out.flush();
  print_error(error_text(error));
}

void FoundMoments::print_cut(const std::string& path, const Cut& cut, const Error* error) {
  if (error) {
    ++failed_;
    context_.out.flush();
    print_error(error_text(*error));
    return;
  }
  ++(cut.was_there ? were_there_ : written_);
  if (!cut.missing.empty()) context_.out.flush();
  warn_of(KeyFrameReport{cut.frames_before, cut.missing}, shown_path(cut.path) + ": ");
  if (as_json_) {
    context_.out.write(cut_json(path, cut, cut.was_there ? "there" : "written") + "\n");
    return;
  }
  std::string before = cut.frames_before > 0 ? fmt::format("; {} of videos from before it",
                                                           counted(cut.frames_before, "frame"))
                                             : "";
  context_.out.line("{}: {}, {}, {}{}{}", shown_path(cut.path),
                    counted(cut.range.moments, "moment"), counted(cut.messages, "message"),
                    format_duration(saturating_difference(cut.range.begin, cut.range.end)), before,
                    cut.was_there ? "; was there" : "");
}

int FoundMoments::finish() {
  context_.out.flush();
  if (!options_.events.empty()) {
    std::string text = fmt::format("{} added", counted(new_events_, "event"));
    text += were_there(known_events_);
    print_note(text);
  }
  if (options_.cut) {
    std::string text =
        fmt::format("{} written to {}", counted(written_, "cut"), shown_path(options_.to));
    text += were_there(were_there_);
    if (failed_ > 0) text += fmt::format(", {} failed", grouped(failed_));
    print_note(text);
  }
  return failed_ > 0 ? kFailed : kDone;
}

}  // namespace kitbag::cli
