#include "model/state_before.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "kitbag/calls.h"
#include "kitbag/selector.h"
#include "model/kept_message.h"

// A viewer that begins in the middle needs the map, which was sent once at the start. A bag with an
// index is asked for the last message of each latched channel. A pipe cannot go back, so its
// messages before `begin` are read and thrown away, except the last one of each latched channel;
// the state is in the batch in which the first message of the query comes, or at the end if there
// is none. `nth` and `count` are for messages of the query, so they are counted behind this, and
// state is free.

namespace kitbag {

namespace {

/// Gives one batch in front of a source.
class Prefixed final : public Source {
 public:
  Prefixed(Batch first, std::unique_ptr<Source> source)
      : first_(std::move(first)), source_(std::move(source)) {}

  ChannelsPtr channels() const override { return source_->channels(); }
  bool read(Batch& batch, const Wait& wait) override {
    if (first_.empty()) return source_->read(batch, wait);
    batch = std::exchange(first_, Batch());
    return true;
  }

 private:
  Batch first_;
  std::unique_ptr<Source> source_;
};

/// State of a bag that cannot be read backwards: the last messages before `begin` are kept while
/// they pass, and given in front of what follows.
class StateOnTheWay final : public Source {
 public:
  StateOnTheWay(std::unique_ptr<Source> source, Time begin)
      : source_(std::move(source)), begin_(begin) {}

  ChannelsPtr channels() const override { return source_->channels(); }

  bool read(Batch& batch, const Wait& wait) override {
    if (!source_->read(batch, wait)) return !std::exchange(has_begun_, true) && give_state(batch);
    std::erase_if(batch.extras, [this](const Extra& extra) {
      const auto* attachment = std::get_if<Attachment>(&extra);
      return attachment && attachment->log_time < begin_;
    });
    if (has_begun_) return true;
    auto messages = std::as_const(batch).messages();
    auto first = std::find_if(messages.begin(), messages.end(), [this](const Message& message) {
      return message.log_time >= begin_;
    });
    for (const Message& message :
         messages.first(static_cast<std::size_t>(first - messages.begin())))
      take(message);
    has_begun_ = first != messages.end();
    batch.drop_if([this](const Message& message) { return message.log_time < begin_; });
    if (has_begun_) put_state_before(batch);
    return true;
  }

 private:
  void take(const Message& message) {
    if (is_state(*message.channel)) state_.insert_or_assign(message.channel->slot, keep(message));
  }

  bool give_state(Batch& batch) {
    if (state_.empty()) return false;
    batch.channels = source_->channels();
    put_state_before(batch);
    return true;
  }

  void put_state_before(Batch& batch) {
    if (state_.empty()) return;
    std::vector<KeptMessage> state;
    for (auto& [slot, kept] : std::exchange(state_, {})) state.push_back(std::move(kept));
    Batch whole = batch_of(std::move(state), batch.channels, TimeField::log_time);
    // Before the messages of the query are added, which are no state.
    for (Message& message : whole.messages()) message.flags |= kState;
    std::size_t count = batch.messages().size();
    whole.take_front(batch, count);
    batch = std::move(whole);
  }

  std::unique_ptr<Source> source_;
  Time begin_;
  bool has_begun_ = false;
  std::map<std::uint32_t, KeptMessage> state_;  ///< by slot
};

/// Of `bag`, which comes through a pipe.
std::unique_ptr<Source> read_stream_with_state(const Bag& bag, const Query& query,
                                               const Wait& wait) {
  Query from_start = query;
  from_start.begin = Time::min();
  from_start.nth = 0;
  from_start.count = UINT64_MAX;
  auto source = std::make_unique<StateOnTheWay>(bag.read_messages(from_start, wait), query.begin);
  return slice(std::move(source), query.nth, query.count);
}

/// The latched channels among those that are read.
LastQuery state_wanted(const Query& query, const Channels& channels) {
  LastQuery state;
  state.time = query.begin;
  state.by = query.by;
  state.on_problem = query.on_problem;
  for (const ChannelPtr& channel : channels) {
    state.slots.push_back(channel && is_state(*channel) ? 1 : 0);
  }
  return state;
}

}  // namespace

std::unique_ptr<Source> read_with_state(const Bag& bag, const Query& query, const Wait& wait) {
  Query following = query;
  following.latched_before = false;
  if (query.begin == Time::min()) return bag.read_messages(following, wait);
  if (bag.summary().is_stream) return read_stream_with_state(bag, following, wait);
  auto source = bag.read_messages(following, wait);
  ChannelsPtr channels = source->channels();
  LastQuery wanted = state_wanted(query, *channels);
  if (std::find(wanted.slots.begin(), wanted.slots.end(), 1) == wanted.slots.end()) return source;
  Batch first = bag.find_last(wanted, wait);
  first.channels = channels;
  for (Message& message : first.messages()) {
    message.channel = (*channels)[message.channel->slot].get();
    message.flags |= kState;
  }
  return std::make_unique<Prefixed>(std::move(first), std::move(source));
}

}  // namespace kitbag
