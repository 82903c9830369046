#include "model/backward_walk.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "kitbag/text.h"

// What is known of a channel are intervals (time of a message, until], in which that message is the
// answer. They are found by their beginning, so two walks that end at the same message make one
// longer interval. A walk goes back until every channel is settled: by a message, or because the
// walk has passed the end of an interval, within which the answer is known. If there is an interval
// for each channel that is missing, the query begins at the earliest end of these, and nothing
// before that is read.
//
// Walks by publish time are not remembered: intervals of both kinds cannot be compared.

namespace kitbag {

/// One walk: the channels that are still looked for.
class BackwardWalk::Walk {
 public:
  Walk(const BackwardWalk& memory, const LastQuery& query, const Channels& channels)
      : query_(query), channels_(channels) {
    bool may_remember = query.by == TimeField::log_time;
    for (std::uint32_t slot = 0; slot < channels.size() && slot < query.slots.size(); ++slot) {
      if (query.slots[slot] == 0 || !channels[slot]) continue;
      auto known = may_remember ? memory.known_before(slot, query.time) : std::nullopt;
      if (known && known->until == query.time) {
        found_[slot] = known->message;
      } else {
        missing_[slot] = known;
      }
    }
  }

  bool is_done() const { return missing_.empty(); }

  Query query() const {
    Query back;
    back.order = Order::reverse_time;
    back.by = query_.by;
    back.end = query_.time;
    bool ends_early = true;
    Time begin = Time::max();
    for (const auto& [slot, known] : missing_) {
      back.select.topics.push_back(exact_pattern(channels_[slot]->topic));
      ends_early &= known.has_value();
      if (known) begin = std::min(begin, known->until);
    }
    if (ends_early) back.begin = begin;
    return back;
  }

  /// The next message, going back.
  void take(const Message& message) {
    settle_before(query_.by == TimeField::publish_time ? message.publish_time : message.log_time);
    auto place = missing_.find(message.channel->slot);
    if (place == missing_.end()) return;
    found_[place->first] = std::make_shared<const KeptMessage>(keep(message));
    missing_.erase(place);
  }

  /// There are no more.
  void end() { settle_before(Time::min(), true); }

  /// Null: the channel has none.
  const std::map<std::uint32_t, std::shared_ptr<const KeptMessage>>& found() const {
    return found_;
  }

 private:
  /// The walk has come below `time`: what is known from there on holds.
  void settle_before(Time time, bool is_end = false) {
    for (auto it = missing_.begin(); it != missing_.end();) {
      bool is_settled = is_end || (it->second && time < it->second->until);
      if (is_settled) found_[it->first] = it->second ? it->second->message : nullptr;
      it = is_settled ? missing_.erase(it) : std::next(it);
    }
  }

  const LastQuery& query_;
  const Channels& channels_;
  std::map<std::uint32_t, std::optional<Known>> missing_;  ///< with what is known of times before
  std::map<std::uint32_t, std::shared_ptr<const KeptMessage>> found_;
};

Batch BackwardWalk::find_last(const Bag& bag, const LastQuery& query, const Wait& wait) {
  ChannelsPtr channels = bag.channels();
  Walk walk(*this, query, *channels);
  if (query.on_problem) report_known(query.on_problem);
  std::vector<Error> problems;
  if (!walk.is_done()) {
    Query back = walk.query();
    if (query.on_problem) {  // else the bag's listener gets them, once for all
      back.on_problem = [&](const Error& problem) {
        problems.push_back(problem);
        query.on_problem(problem);
      };
    }
    auto source = bag.read_messages(back, wait);
    Batch batch;
    while (!walk.is_done() && source->read(batch, wait)) {
      throw_if_stopped(wait);
      for (const Message& message : std::as_const(batch).messages()) walk.take(message);
      batch.clear();
    }
    walk.end();
  }
  std::vector<KeptMessage> found;
  for (const auto& [slot, message] : walk.found()) {
    if (query.by == TimeField::log_time) remember(slot, query.time, message);
    if (message) found.push_back(*message);
  }
  if (query.by == TimeField::log_time) remember(problems);
  return batch_of(std::move(found), std::move(channels), query.by);
}

std::optional<BackwardWalk::Known> BackwardWalk::known_before(std::uint32_t slot, Time time) const {
  std::lock_guard lock(mutex_);
  auto channel = known_.find(slot);
  if (channel == known_.end()) return std::nullopt;
  auto place = channel->second.upper_bound(time);
  if (place == channel->second.begin()) return std::nullopt;
  Known known = std::prev(place)->second;
  // One that begins at `time` itself says nothing of what is before it.
  if (known.message && known.message->message.log_time == time) {
    if (std::prev(place) == channel->second.begin()) return std::nullopt;
    known = std::prev(place, 2)->second;
  }
  known.until = std::min(known.until, time);
  return known;
}

void BackwardWalk::remember(std::uint32_t slot, Time time,
                            std::shared_ptr<const KeptMessage> found) {
  std::lock_guard lock(mutex_);
  Time from = found ? found->message.log_time : Time::min();
  auto [place, is_new] = known_[slot].try_emplace(from, Known{time, found});
  place->second.until = std::max(place->second.until, time);
  if (is_new) bytes_ += sizeof(KeptMessage) + 64 + (found ? found->bytes->size() : 0);
  // All or nothing: which intervals will be asked for again cannot be known.
  if (bytes_ <= kMostBytes) return;
  known_.clear();
  problems_.clear();
  bytes_ = 0;
}

void BackwardWalk::remember(const std::vector<Error>& problems) {
  std::lock_guard lock(mutex_);
  for (const Error& problem : problems) {
    bool is_known = std::any_of(problems_.begin(), problems_.end(), [&](const Error& known) {
      return known.what() == std::string_view(problem.what());
    });
    if (!is_known && problems_.size() < kMostProblems) problems_.push_back(problem);
  }
}

void BackwardWalk::report_known(const OnProblem& on_problem) const {
  std::vector<Error> problems;
  {
    std::lock_guard lock(mutex_);
    problems = problems_;
  }
  for (const Error& problem : problems) on_problem(problem);
}

}  // namespace kitbag
