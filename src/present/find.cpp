#include "kitbag/find.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/fields.h"
#include "kitbag/print.h"
#include "kitbag/selector.h"
#include "kitbag/stream.h"

// where() only says which messages are left. A moment ends with the first message that is not, so
// the messages before where() are noted and compared with those behind it: both are in one order.
//
//   before where()   a1 b1 a2 a3 b2 a4       moments of a: from a1 to a2, and a4
//   behind it        a1    a2       a4
//
// Topics are apart: a message of b that does not meet the condition ends no moment of a.

namespace kitbag {
namespace {

/// What tells messages of one bag apart well enough to find one again a batch later.
struct Noted {
  std::uint32_t slot;
  std::uint32_t sequence;
  Time log_time;

  bool operator==(const Noted&) const = default;
};

Noted noted(const Message& message) {
  return {message.channel->slot, message.sequence, message.log_time};
}

class Note final : public Stage {
 public:
  explicit Note(std::vector<Noted>& into) : into_(into) {}
  void apply(Batch& batch) override {
    for (const Message& message : std::as_const(batch).messages()) into_.push_back(noted(message));
  }

 private:
  std::vector<Noted>& into_;
};

/// The fields of `message` as JSON; null if it has none of them.
std::string value_of(const Message& message, const PrintOptions& options, const Session& session) {
  constexpr std::string_view kData = ",\"data\":";  // in a string, quotes are escaped
  std::string json = to_json(message, session, options);
  std::size_t at = json.find(kData);
  if (at == std::string::npos) return "null";
  at += kData.size();
  return json.substr(at, json.size() - at - 1);
}

bool has_all(const Summary& summary, std::vector<std::string> Selection::*list,
             const Selection& select) {
  return std::all_of((select.*list).begin(), (select.*list).end(), [&](const auto& pattern) {
    Selection alone;
    (alone.*list) = {pattern};
    Selector selector(alone);
    return std::any_of(summary.channels->begin(), summary.channels->end(),
                       [&](const ChannelPtr& each) { return each && selector.matches(*each); });
  });
}

}  // namespace

bool fits(const Summary& summary, const FindQuery& query) {
  if (!has_all(summary, &Selection::topics, query.select)) return false;
  if (!has_all(summary, &Selection::types, query.select)) return false;
  bool has_range = query.begin != Time::min() || query.end != Time::max();
  if (summary.messages == 0) return !has_range && query.longer_than == Duration::zero();
  // The end of a query is excluded, and that of a summary is the time of its last message.
  if (summary.start >= query.end || summary.end < query.begin) return false;
  return query.longer_than == Duration::zero() ||
         saturating_difference(summary.start, summary.end) > query.longer_than;
}

void find_moments(const Bag& bag, const FindQuery& query, const Session& session,
                  const std::function<void(const Moment& moment)>& on_moment,
                  const std::stop_token& stop) {
  PrintOptions print;
  print.fields = fields_of_condition(query.where);
  TranscodeReport report;
  std::vector<Noted> before;
  Query wanted;
  wanted.select = query.select;
  wanted.begin = query.begin;
  wanted.end = query.end;
  auto source = through(bag.read(wanted), std::make_unique<Note>(before));
  source = through(std::move(source), where(query.where, OnError::skip, &report, session));
  std::map<std::uint32_t, Moment> open;  // by slot
  for (Batch batch; source->read(batch, Wait{stop, kNever}); batch.clear()) {
    if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "interrupted");
    auto messages = std::as_const(batch).messages();
    std::size_t next = 0;
    for (const Noted& each : before) {
      bool is_met = next < messages.size() && noted(messages[next]) == each;
      auto moment = open.find(each.slot);
      if (!is_met) {
        if (moment == open.end()) continue;
        on_moment(moment->second);
        open.erase(moment);
        continue;
      }
      const Message& message = messages[next++];
      if (moment == open.end()) {
        moment = open.emplace(each.slot, Moment()).first;
        moment->second.topic = message.channel->topic;
        moment->second.start = message.log_time;
        moment->second.value = value_of(message, print, session);
      }
      moment->second.end = message.log_time;
      ++moment->second.messages;
    }
    before.clear();
  }
  for (const auto& [slot, moment] : open) on_moment(moment);
}

}  // namespace kitbag
