#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kitbag/bag.h"
#include "kitbag/text.h"
#include "kitbag/transcode.h"

namespace kitbag::cli {

/// What the selecting options of a verb say; times may still be relative.
struct SelectOptions {
  Selection select;
  std::optional<TimePoint> start;
  std::optional<TimePoint> end;
  std::optional<Duration> duration;
  std::uint64_t count = UINT64_MAX;
  bool with_latched = false;
  /// The frames of videos that the first ones in the range need; where a verb makes cuts.
  bool with_key_frames = true;
  Order order = Order::time;
  TimeField by = TimeField::log_time;

  /// Something is left out.
  bool is_narrow() const {
    return select != Selection() || start || end || duration || count != UINT64_MAX;
  }
};

struct TimeRange {
  Time start;
  Time end;
};

/// From the first message of `bag` to the last, by their times `by`; absent: it has none. Publish
/// times are read. Throws Error.
std::optional<TimeRange> range_of(const Bag& bag, TimeField by);

/// The options as a query for `bags`: relative times stand on their earliest start and latest end.
/// Throws Error (not_found) when a topic, type or expression matches no channel of any of them,
/// and Error (invalid) when no time lies in the range, or an expression does not compile. With a
/// StreamedBag among them times count from its first message, what counts from the end is refused,
/// and the source of the bag throws not_found at its end.
/// What excludes nothing, and a range without messages, is a warning that begins with `about`.
Query make_query(const SelectOptions& options, std::span<const BagPtr> bags,
                 const std::string& about = {});

/// Tables of channels, one for each bag.
using Tables = std::vector<ChannelsPtr>;
Tables tables_of(std::span<const BagPtr> bags);
std::set<std::string> known_topics(const Tables& tables);

/// Calls `check` with the channels of all bags: when the one that comes through a pipe has come to
/// its end, else at once. There is one such bag at most.
void check_channels(std::span<const BagPtr> bags, std::function<void(const Tables&)> check);

/// Throws Error (not_found) if no selected channel has all `fields`, naming those that are similar;
/// of a StreamedBag, its source does so at its end. `session` must outlive the bags.
void require_fields(const std::vector<std::string>& fields, const Selection& select,
                    std::span<const BagPtr> bags, const Session& session);

/// Throws Error (not_found) naming `topic` and those that exist, unless a bag has it; of a
/// StreamedBag, its source does so at its end.
void require_topic(const std::string& topic, std::span<const BagPtr> bags);

/// Throws Error (not_found) if one of `patterns`, names of topics or globs, matches no topic of any
/// of them; of a StreamedBag, its source does so at its end.
void require_topics(const std::vector<std::string>& patterns, std::span<const BagPtr> bags);

/// About how many messages `query` will give, for a progress bar: counts are exact, a time range
/// is taken as its share of the bag's time.
std::uint64_t expected_messages(const Query& query, std::span<const BagPtr> bags);

/// `source` with the messages alone that meet `condition`; all where it is empty. `report` and
/// `context` must outlive it.
std::unique_ptr<Source> only_where(std::unique_ptr<Source> source, const std::string& condition,
                                   OnError on_error, TranscodeReport& report,
                                   const Context& context);

}  // namespace kitbag::cli
