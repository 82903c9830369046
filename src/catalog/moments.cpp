#include "catalog/moments.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "catalog/bag_rows.h"
#include "catalog/file_state.h"
#include "catalog/known_fields.h"
#include "catalog/pyramid.h"
#include "kitbag/selector.h"

// A condition is judged part by part: seconds, or some seconds, of a bag. What is left is the time
// from the first part in which it may be met to the last one, in any channel. All messages that
// meet it are in that time, so reading only these gives the same moments as reading all.
//
//     parts       0   1   2   3   4   5
//     /imu            x
//     /battery                x           x: the condition may be met
//     read            |-----------|

namespace kitbag::catalog {
namespace {

class ChannelJudge {
 public:
  ChannelJudge(std::string topic, const SqlValue& fields, const SqlValue& pyramid)
      : topic_(std::move(topic)) {
    fields_.add(fields);
    if (const auto* bytes = std::get_if<std::vector<std::byte>>(&pyramid)) {
      pyramid_ = unpack_pyramid(*bytes);
    }
  }

  bool may_be_met(const ConditionBounds& condition, std::size_t first, std::size_t last) const {
    return condition.may_be_met(topic_,
                                [&](const std::string& path) { return bounds(path, first, last); });
  }
  bool is_known() const { return pyramid_.has_value(); }
  bool has_messages(std::size_t part) const {
    return !pyramid_ || (part < pyramid_->messages.size() && pyramid_->messages[part] > 0);
  }

 private:
  std::optional<ValueBounds> bounds(const std::string& path, std::size_t first,
                                    std::size_t last) const {
    if (pyramid_) {
      if (auto known = pyramid_->bounds(path, first, last)) return known;
    }
    // The type has no such field, so no message of the channel meets a condition on it.
    if (!fields_.may_have(path)) return ValueBounds{.is_absent = true};
    return std::nullopt;
  }

  std::string topic_;
  KnownFields fields_;
  std::optional<Pyramid> pyramid_;
};

}  // namespace

Judgement judge(Database& database, std::int64_t bag, const ConditionBounds& condition,
                const FindQuery& query) {
  auto rows = database.run("SELECT start_ns, end_ns FROM bags WHERE bag = $1", {bag});
  if (rows.empty()) return {};
  Parts parts = parts_of(from_ns(whole_in(rows[0], 0)), from_ns(whole_in(rows[0], 1)));
  Selector selector(query.select);
  Judgement judgement;
  std::vector<bool> may_be(parts.count, false);
  database.run(
      "SELECT topic, type, fields, data, messages FROM bag_channels "
      "JOIN channels ON channels.channel = bag_channels.channel "
      "LEFT JOIN pyramids ON pyramids.bag = bag_channels.bag "
      "AND pyramids.channel = bag_channels.channel AND pyramids.start_ns = $2 "
      "WHERE bag_channels.bag = $1",
      std::span<const SqlValue>(std::vector<SqlValue>{bag, rows[0].at(0)}), [&](SqlRow& row) {
        std::string topic = bytes_in(row, 0);
        if (!selector.matches(topic, bytes_in(row, 1))) return;
        ChannelJudge channel(topic, row.at(2), row.at(3));
        // The bag as a whole first: this rules out most channels at once.
        if (!channel.may_be_met(condition, 0, parts.count)) return;
        // Channels of unknown types rule nothing out; their number is reported to the user.
        if (!channel.is_known() && whole_in(row, 4) > 0) ++judgement.unknown_channels;
        for (std::size_t i = 0; i < parts.count; ++i) {
          bool is_possible = channel.has_messages(i) && channel.may_be_met(condition, i, i + 1);
          may_be[i] = may_be[i] || is_possible;
        }
      });
  auto first = std::find(may_be.begin(), may_be.end(), true);
  if (first == may_be.end()) return judgement;
  auto last = std::find(may_be.rbegin(), may_be.rend(), true);
  auto begin = static_cast<std::size_t>(first - may_be.begin());
  auto end = static_cast<std::size_t>(may_be.rend() - last);
  CatalogTimes times{query.begin, query.end};
  if (begin > 0) times.begin = std::max(times.begin, parts.begin_of(begin));
  if (end < parts.count) times.end = std::min(times.end, parts.begin_of(end));
  if (times.begin < times.end) judgement.times = times;
  return judgement;
}

std::optional<Place> place_of(Database& database, const Session& session, const CatalogBag& bag) {
  std::optional<Place> changed;
  for (const std::string& path : bag.paths) {
    auto known = file_at(database, path);
    auto now = state_of(path, session);
    if (!known || !now) continue;
    if (is_as_known(*known, *now)) return Place{path};
    if (!changed) changed = Place{path, true};
  }
  return changed;
}

CatalogOpened open_bag(Database& database, const Session& session,
                       const DefinitionPaths& definitions, const CatalogBag& bag,
                       const ReadOptions& read) {
  auto place = place_of(database, session, bag);
  if (!place) {
    throw Error(ErrorCode::not_found,
                "the bag is not there any more; if it was moved, scan the folder where it is now",
                bag.paths.empty() ? fmt::format("bag {}", bag.number) : bag.paths.front());
  }
  BagPtr opened = defined(session.open(place->path, read), definitions, session);
  return {std::move(opened), place->path, place->has_changed};
}

MomentSearch::MomentSearch(Database& database, const Session& session,
                           const DefinitionPaths& definitions, const FindQuery& query,
                           const ReadOptions& read, const std::stop_token& stop)
    : database_(database),
      session_(session),
      definitions_(definitions),
      query_(query),
      read_(read),
      stop_(stop),
      condition_(query.where) {}

void MomentSearch::look_at(
    const CatalogBag& bag,
    const std::function<void(const CatalogBag& bag, const Moment& moment)>& on_moment) {
  ++search_.bags;
  auto place = place_of(database_, session_, bag);
  FindQuery wanted = query_;
  if (place && !place->has_changed) {
    Judgement judgement = judge(database_, bag.number, condition_, query_);
    if (!judgement.times) {
      ++search_.ruled_out;
      return;
    }
    wanted.begin = judgement.times->begin;
    wanted.end = judgement.times->end;
    search_.unknown_channels += judgement.unknown_channels;
    if (judgement.unknown_channels > 0) ++search_.unknown_bags;
  }
  CatalogOpened opened = open_bag(database_, session_, definitions_, bag, read_);
  ++search_.opened;
  // What the catalog has judged were other bytes, so the whole query is asked.
  if (opened.has_changed) {
    ++search_.changed;
    wanted = query_;
    if (!fits(opened.bag->summary(), query_)) return;
  }
  CatalogBag found = bag;
  std::erase(found.paths, opened.path);
  found.paths.insert(found.paths.begin(), opened.path);
  kitbag::find_moments(
      *opened.bag, wanted, session_, [&](const Moment& moment) { on_moment(found, moment); },
      stop_);
}

}  // namespace kitbag::catalog
