#include "pipeline/latched.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kitbag/pipeline.h"
#include "kitbag/text.h"

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

/// A message out of its batch, in memory of its own. Its channel went with its source.
struct KeptMessage {
  Message message;
  std::uint32_t slot;
  std::shared_ptr<const std::vector<std::byte>> bytes;
};

KeptMessage keep(const Message& message) {
  auto bytes =
      std::make_shared<const std::vector<std::byte>>(message.data.begin(), message.data.end());
  KeptMessage kept{message, message.channel->slot, bytes};
  kept.message.channel = nullptr;
  kept.message.data = *bytes;
  kept.message.flags |= kState;
  return kept;
}

/// Of each channel in `missing`, all on `topic`, the last message before the query's begin.
void find_last(const Bag& bag, const Query& query, const std::string& topic,
               std::set<std::uint32_t> missing, std::vector<KeptMessage>& into) {
  Query back;
  back.select.topics = {exact_pattern(topic)};
  back.end = query.begin;
  back.order = Order::reverse_time;
  back.by = query.by;
  auto source = bag.read(back);
  for (Batch batch; !missing.empty() && source->read(batch, {}); batch.clear()) {
    for (const Message& message : std::as_const(batch).messages()) {
      if (missing.erase(message.channel->slot) > 0) into.push_back(keep(message));
    }
  }
}

std::vector<KeptMessage> find_state(const Bag& bag, const Query& query, const Channels& channels) {
  const Summary& summary = bag.summary();
  std::map<std::string, std::set<std::uint32_t>> latched;  // slots by topic
  for (const ChannelPtr& channel : channels) {
    bool has_messages = channel && summary.message_counts.at(channel->slot) > 0;
    if (has_messages && is_latched(*channel)) latched[channel->topic].insert(channel->slot);
  }
  std::vector<KeptMessage> state;
  for (const auto& [topic, slots] : latched) find_last(bag, query, topic, slots, state);
  auto time_of = [&](const KeptMessage& kept) {
    bool is_by_publish = query.by == TimeField::publish_time;
    return is_by_publish ? kept.message.publish_time : kept.message.log_time;
  };
  std::stable_sort(state.begin(), state.end(), [&](const KeptMessage& a, const KeptMessage& b) {
    return time_of(a) < time_of(b);
  });
  return state;
}

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
    if (is_latched(*message.channel)) state_.insert_or_assign(message.channel->slot, keep(message));
  }

  bool give_state(Batch& batch) {
    if (state_.empty()) return false;
    batch.channels = source_->channels();
    put_state_before(batch);
    return true;
  }

  void put_state_before(Batch& batch) {
    if (state_.empty()) return;
    std::vector<KeptMessage> ordered;
    for (auto& [slot, kept] : std::exchange(state_, {})) ordered.push_back(std::move(kept));
    std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
      return a.message.log_time < b.message.log_time;
    });
    Batch whole;
    whole.channels = batch.channels;
    for (KeptMessage& kept : ordered) {
      kept.message.channel = (*batch.channels)[kept.slot].get();
      whole.keep(kept.bytes, kept.bytes->size());
      whole.add(kept.message);
    }
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
std::unique_ptr<Source> read_stream_with_state(const Bag& bag, const Query& query) {
  Query from_start = query;
  from_start.begin = Time::min();
  from_start.nth = 0;
  from_start.count = UINT64_MAX;
  auto source = std::make_unique<StateOnTheWay>(bag.read(from_start), query.begin);
  return slice(std::move(source), query.nth, query.count);
}

}  // namespace

std::unique_ptr<Source> read_with_state(const Bag& bag, const Query& query) {
  bool is_asked = query.latched_before && query.begin != Time::min() && query.order == Order::time;
  if (is_asked && bag.summary().is_stream) return read_stream_with_state(bag, query);
  auto source = bag.read(query);
  if (!is_asked) return source;
  ChannelsPtr channels = source->channels();
  Batch first;
  first.channels = channels;
  for (KeptMessage& kept : find_state(bag, query, *channels)) {
    kept.message.channel = (*channels)[kept.slot].get();
    first.keep(kept.bytes, kept.bytes->size());
    first.add(kept.message);
  }
  return std::make_unique<Prefixed>(std::move(first), std::move(source));
}

}  // namespace kitbag
