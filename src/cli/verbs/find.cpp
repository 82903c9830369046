#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "cli/options/definitions.h"
#include "cli/options/found_moments.h"
#include "cli/options/inputs.h"
#include "cli/options/many_bags.h"
#include "cli/options/open_catalog.h"
#include "cli/terminal/json.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/verbs.h"
#include "kitbag/catalog.h"
#include "kitbag/escape.h"
#include "kitbag/fields.h"
#include "kitbag/selector.h"
#include "kitbag/text.h"
#include "server/bags/catalog_name.h"

// Bags that do not fit by their summary cost no more than opening them, and with a catalog not even
// that. An empty result has two meanings: it did not happen, or the query has a typing error. So
// the topics and types of all bags are collected, and a name that no bag has is reported with
// similar ones. A condition whose fields no bag has is an error, at the end.
//
// An empty result is exit code 0, as for find(1), with a note unless the output is JSON.

namespace kitbag::cli {
namespace {

void print_bag(const std::string& path, const std::string& served_name, const Summary& summary,
               const FindArguments& arguments, Output& out) {
  std::string link = link_to(arguments.moments, served_name, summary.start, summary.start);
  if (arguments.as_json) return out.write(found_json(path, summary, link) + "\n");
  const char* before = link.empty() ? "" : "; ";
  if (summary.messages == 0) return out.line("{}: empty{}{}", shown_path(path), before, link);
  out.line("{}: {}, {}, {}{}{}", shown_path(path), format_time(summary.start),
           format_duration(saturating_difference(summary.start, summary.end)),
           counted(summary.messages, "message"), before, link);
}

/// What was seen of the bags, so that nothing that was found is told from what is nowhere.
struct Seen {
  std::set<std::string> topics;
  std::set<std::string> types;
  bool has_fitting = false;    ///< a bag was printed
  bool may_be_met = false;     ///< a bag has the fields of the condition
  std::optional<Error> unmet;  ///< why another one has not
};

void note_names(const Bag& bag, Seen& seen) {
  for (const ChannelPtr& channel : *bag.channels()) {
    if (!channel) continue;
    seen.topics.insert(channel->topic);
    seen.types.insert(channel->type());
  }
}

/// Whether the bag can have messages that meet the condition.
bool may_meet(const Bag& bag, const std::string& where, Seen& seen, const Context& context) {
  try {
    require_condition(where, *bag.channels(), context.session);
  } catch (const Error& error) {
    bool is_mistake = error.code() == ErrorCode::not_found || error.code() == ErrorCode::invalid;
    if (!is_mistake) throw;
    if (!seen.unmet) seen.unmet.emplace(error);
    return false;
  }
  seen.may_be_met = true;
  return true;
}

int find_in(const std::string& path, const FindArguments& arguments, const FindQuery& query,
            FoundMoments& found, Seen& seen, const Context& context) {
  Definitions definitions(arguments.definitions, context.session);
  Inputs inputs({path}, arguments.reading, context, {.definitions = &definitions});
  inputs.read_stream(context.stop);
  const Bag& bag = *inputs.bags().front();
  note_names(bag, seen);
  if (!fits(bag.summary(), query)) return kDone;  // its damage is not asked for
  if (query.where.empty()) {
    seen.has_fitting = true;
    print_bag(path, served_name(path), bag.summary(), arguments, context.out);
    return inputs.warn();
  }
  if (!may_meet(bag, query.where, seen, context)) return kDone;
  find_moments(
      bag, query, context.session,
      [&](const Moment& moment) {
        found.take(path,
                   link_to(arguments.moments, served_name(path), bag.summary().start, moment.start),
                   moment);
      },
      context.stop);
  found.cut(path, bag);
  definitions.warn(shown_path(path) + ": ");
  return inputs.warn();
}

/// That no bag has a topic is an answer, but it may be a typing error as well. Returns whether none
/// has it.
bool note_nowhere(const std::string& pattern, std::string_view what,
                  const std::set<std::string>& names,
                  const std::function<bool(const std::string& name)>& fits_name) {
  constexpr std::size_t kMostProposed = 3;
  if (std::ranges::any_of(names, fits_name)) return false;
  auto similar = nearest_texts(pattern, {names.begin(), names.end()}, kMostProposed);
  std::error_code ignored;
  bool is_place = std::filesystem::exists(pattern, ignored);
  print_note(fmt::format("no bag has a {} that matches \"{}\"{}{}{}", what, pattern,
                         similar.empty() ? "" : "; similar: ", fmt::join(similar, ", "),
                         is_place ? "; put bags and folders before the options" : ""));
  return true;
}

bool note_nowhere(const Selection& select, const Seen& seen) {
  bool is_any_noted = false;
  for (const std::string& topic : select.topics) {
    Selector selector({.topics = {topic}});
    is_any_noted |= note_nowhere(topic, "topic", seen.topics, [&](const std::string& name) {
      return selector.matches(name, "");
    });
  }
  for (const std::string& type : select.types) {
    Selector selector({.types = {type}});
    is_any_noted |= note_nowhere(type, "type", seen.types, [&](const std::string& name) {
      return selector.matches("", name);
    });
  }
  return is_any_noted;
}

/// Programs see that nothing was printed.
void note_nothing_found(const FindArguments& arguments) {
  if (arguments.as_json) return;
  print_note(arguments.query.where.empty() ? "no bag matches" : "no message meets the condition");
}

/// Where a bag of a catalog is, for people and programs.
std::string place_of(const CatalogBag& bag) {
  return bag.paths.empty() ? fmt::format("bag {} (no longer anywhere)", bag.number)
                           : bag.paths.front();
}

void print_search(const CatalogSearch& search) {
  for (const Error& error : search.failed) print_error(error_text(error));
  std::string text = fmt::format("{}: {} ruled out by the catalog, {} opened",
                                 counted(search.bags, "bag"), search.ruled_out, search.opened);
  if (search.changed > 0) {
    text +=
        fmt::format(", {} of them because they have changed since they were added", search.changed);
  }
  if (search.undecoded > 0) {
    text += fmt::format("; {} cannot be decoded, so no condition is met there",
                        counted(search.undecoded, "message"));
  }
  if (search.unknown_channels > 0) {
    text +=
        fmt::format("; read whole, as the catalog has no numbers of it: {} of {}",
                    counted(search.unknown_channels, "topic"), counted(search.unknown_bags, "bag"));
  }
  print_note(text);
}

/// The topics and types of all bags of a catalog.
Seen seen_by(Catalog& catalog) {
  Seen seen;
  for (const auto& [topic, type] : catalog.topics()) {
    seen.topics.insert(topic);
    seen.types.insert(type);
  }
  return seen;
}

/// Hands over the moments of a catalog's bags, and ends each bag before the next one begins.
class MomentsByBag {
 public:
  MomentsByBag(Catalog& catalog, FoundMoments& found, const MomentOptions& options,
               ReadOptions read)
      : catalog_(catalog), found_(found), options_(options), read_(std::move(read)) {}

  void take(const CatalogBag& bag, const Moment& moment) {
    if (!bag_ || bag_->number != bag.number) {
      end_bag();
      bag_ = bag;
    }
    found_.take(place_of(bag),
                link_to(options_, server::catalog_name(bag), bag.start, moment.start), moment);
  }

  // The catalog gives the moments of one bag after the other, so another number means that the bag
  // before is complete, and its cuts and events can be written.
  void end_bag() {
    if (!bag_) return;
    found_.note_events(catalog_, bag_->number);
    if (!found_.needs_bag()) return;
    CatalogOpened opened;
    try {
      opened = catalog_.open(*bag_, read_);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::cancelled) throw;
      return found_.fail_to_cut(error);
    }
    found_.cut(opened.path, *opened.bag);
  }

 private:
  Catalog& catalog_;
  FoundMoments& found_;
  const MomentOptions& options_;
  ReadOptions read_;
  std::optional<CatalogBag> bag_;
};

int find_moments_by(Catalog& catalog, const CatalogQuery& wanted, const FindArguments& arguments,
                    FoundMoments& found, const Context& context) {
  Damage damage;
  ReadOptions read = arguments.reading.with([&](const Error& problem) { damage.add(problem); });
  read.stop = context.stop;
  MomentsByBag moments(catalog, found, arguments.moments, read);
  CatalogSearch search = catalog.find_moments(
      wanted, read, [&](const CatalogBag& bag, const Moment& moment) { moments.take(bag, moment); },
      context.stop);
  moments.end_bag();
  context.out.flush();
  print_search(search);
  return std::max(search.failed.empty() ? kDone : kFailed, warn_of(damage));
}

int find_by_catalog(const FindArguments& arguments, const FindQuery& query, FoundMoments& found,
                    const Context& context) {
  Catalog catalog = open_catalog(arguments.catalog, context);
  catalog.set_definitions(Definitions(arguments.definitions, context.session).paths());
  CatalogQuery wanted{.query = query, .tags = arguments.tags, .is_newest_first = false};
  int code = kDone;
  bool has_fitting = false;
  if (query.where.empty()) {
    wanted.has_details = false;
    catalog.find(wanted, [&](const CatalogBag& bag) {
      has_fitting = true;
      Summary summary;
      summary.messages = bag.messages;
      summary.start = bag.start;
      summary.end = bag.end;
      print_bag(place_of(bag), server::catalog_name(bag), summary, arguments, context.out);
    });
  } else {
    code = find_moments_by(catalog, wanted, arguments, found, context);
  }
  bool is_noted = note_nowhere(query.select, seen_by(catalog));
  bool is_nothing = code != kFailed && !has_fitting && !found.has_any();
  if (is_nothing && !is_noted) note_nothing_found(arguments);
  return code;
}

}  // namespace

int find(const FindArguments& arguments, const Context& context) {
  // What is not valid is one error, and not one of each bag.
  static_cast<void>(Definitions(arguments.definitions, context.session));
  FindQuery query = arguments.query;
  if (!query.where.empty()) static_cast<void>(fields_of_condition(query.where));
  if (arguments.last) query.begin = saturating_add(context.clock.wall(), -*arguments.last);
  FoundMoments found(arguments.moments, arguments.as_json, context);
  if (!arguments.catalog.empty()) {
    int code = find_by_catalog(arguments, query, found, context);
    return std::max(code, found.finish());
  }
  ManyBags bags{arguments.places, true};
  Seen seen;
  int code = for_each_bag(bags.paths(context), context, [&](const std::string& path) {
    return find_in(path, arguments, query, found, seen, context);
  });
  bool is_noted = note_nowhere(query.select, seen);
  if (seen.unmet && !seen.may_be_met) throw Error(*seen.unmet);
  bool is_nothing = code != kFailed && !seen.has_fitting && !found.has_any();
  if (is_nothing && !is_noted) note_nothing_found(arguments);
  return std::max(code, found.finish());
}

}  // namespace kitbag::cli
