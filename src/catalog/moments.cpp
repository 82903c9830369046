#include "catalog/moments.h"

#include <algorithm>
#include <set>
#include <vector>

#include "catalog/bag_rows.h"
#include "catalog/known_fields.h"
#include "catalog/pyramid.h"
#include "kitbag/selector.h"

// A condition is judged part by part: seconds, or some seconds, of a bag. What is left is the time
// from the first part in which it may be met to the last one, in any channel. All messages that
// meet it are in that time, so reading only these gives the same moments as reading all.

namespace kitbag::catalog {
namespace {

class ChannelJudge {
 public:
  ChannelJudge(std::string topic, const SqlValue& fields, const SqlValue& pyramid)
      : topic_(std::move(topic)) {
    if (const auto* lines = std::get_if<std::string>(&fields)) paths_ = field_paths(*lines);
    has_paths_ = std::holds_alternative<std::string>(fields);
    if (const auto* bytes = std::get_if<std::vector<std::byte>>(&pyramid)) {
      pyramid_ = unpack_pyramid(*bytes);
    }
  }

  bool may_be_met(const ConditionBounds& condition, std::size_t first, std::size_t last) const {
    return condition.may_be_met(topic_,
                                [&](const std::string& path) { return bounds(path, first, last); });
  }
  bool has_messages(std::size_t part) const {
    return !pyramid_ || (part < pyramid_->messages.size() && pyramid_->messages[part] > 0);
  }

 private:
  std::optional<ValueBounds> bounds(const std::string& path, std::size_t first,
                                    std::size_t last) const {
    if (pyramid_) {
      if (auto known = pyramid_->bounds(path, first, last)) return known;
    }
    if (has_paths_ && !paths_.contains(path) && !is_part_of_time(path)) {
      return ValueBounds{.is_absent = true};
    }
    return std::nullopt;
  }

  std::string topic_;
  std::set<std::string> paths_;
  bool has_paths_ = false;
  std::optional<Pyramid> pyramid_;
};

}  // namespace

std::optional<PossibleTimes> possible_times(Database& database, std::int64_t bag,
                                            const ConditionBounds& condition,
                                            const FindQuery& query) {
  auto rows = database.run("SELECT start_ns, end_ns FROM bags WHERE bag = $1", {bag});
  if (rows.empty()) return std::nullopt;
  Parts parts = parts_of(from_ns(whole_in(rows[0], 0)), from_ns(whole_in(rows[0], 1)));
  Selector selector(query.select);
  std::vector<bool> may_be(parts.count, false);
  database.run(
      "SELECT topic, type, fields, data FROM bag_channels "
      "JOIN channels ON channels.channel = bag_channels.channel "
      "LEFT JOIN pyramids ON pyramids.bag = bag_channels.bag "
      "AND pyramids.channel = bag_channels.channel WHERE bag_channels.bag = $1",
      std::span<const SqlValue>(std::vector<SqlValue>{bag}), [&](SqlRow& row) {
        std::string topic = bytes_in(row, 0);
        if (!selector.matches(topic, bytes_in(row, 1))) return;
        ChannelJudge channel(topic, row.at(2), row.at(3));
        if (!channel.may_be_met(condition, 0, parts.count)) return;
        for (std::size_t i = 0; i < parts.count; ++i) {
          bool is_possible = channel.has_messages(i) && channel.may_be_met(condition, i, i + 1);
          may_be[i] = may_be[i] || is_possible;
        }
      });
  auto first = std::find(may_be.begin(), may_be.end(), true);
  if (first == may_be.end()) return std::nullopt;
  auto last = std::find(may_be.rbegin(), may_be.rend(), true);
  auto begin = static_cast<std::size_t>(first - may_be.begin());
  auto end = static_cast<std::size_t>(may_be.rend() - last);
  PossibleTimes times;
  if (begin > 0) times.begin = parts.begin_of(begin);
  if (end < parts.count) times.end = parts.begin_of(end);
  return times;
}

}  // namespace kitbag::catalog
