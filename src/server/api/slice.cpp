#include "server/api/slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kitbag/error.h"
#include "server/api/served.h"

namespace kitbag::server {
namespace {

/// Payload that is given at once, by one read().
constexpr std::size_t kReadBytes = 16 << 10;

}  // namespace

StoredSlice::StoredSlice(OpenBagPtr bag, const SliceRequest& asked)
    : bag_(std::move(bag)), from_(asked.slice.begin) {
  query_.select = asked.select;
  query_.end = asked.slice.end;
  query_.on_problem = [this](const Error& problem) { damage.add(problem); };
}

void StoredSlice::open(const Wait& wait) {
  if (source_) return;
  query_.begin = from_;
  source_ = bookmark_ ? bookmark_->read(wait) : bag_->bag->read(query_, wait);
  channels_ = source_->channels();
}

bool StoredSlice::read(Batch& batch, const Wait& wait) {
  open(wait);
  if (batch_.empty() && !read_batch(wait)) return false;
  std::size_t count = 0;
  std::size_t bytes = 0;
  for (const Message& message : std::as_const(batch_).messages()) {
    if (bytes >= kReadBytes) break;
    bytes += message.data.size();
    ++count;
    count_given(message.log_time);
  }
  batch = Batch();
  batch.take_front(batch_, count);
  if (batch.channels) channels_ = batch.channels;
  return true;
}

void StoredSlice::rest() {
  source_.reset();
  batch_ = Batch();
  skipped_ = done_;
}

/// Returns false at the end of the slice.
bool StoredSlice::read_batch(const Wait& wait) {
  do {
    if (wait.stop.stop_requested()) throw Error(ErrorCode::cancelled, "the client has gone");
    batch_.clear();
    mark();
    if (!source_->read(batch_, wait)) return false;
    batch_.extras.clear();
    batch_.drop_if([&](const Message&) { return skipped_ > 0 && skipped_-- > 0; });
  } while (batch_.empty());
  return true;
}

/// Notes where the next batch begins, unless messages before its beginning are still skipped.
void StoredSlice::mark() {
  if (skipped_ > 0) return;
  bookmark_ = bookmark_of(*source_);
  if (bookmark_) done_ = 0;
}

void StoredSlice::count_given(Time time) {
  if (!bookmark_ && time > from_) {
    from_ = time;
    done_ = 0;
  }
  // What comes late lies before from_, and does not come once more.
  if (bookmark_ || time == from_) ++done_;
}

bool SliceReader::read(Batch& batch, const std::stop_token& stop) {
  if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "the client has gone");
  if (bag_->lease->is_revoked()) throw Error(ErrorCode::cancelled, "the bag has been deleted");
  place_.enter();
  slice_->open({stop});
  if (!std::exchange(has_given_state_, true) && !asked_.latched.empty()) {
    batch = state_before(stop);
    return true;
  }
  if (is_limited() || !wanted().read(batch, {stop})) return false;
  std::uint64_t left = asked_.limit - given_;
  if (batch.messages().size() > left) {
    Batch front;
    front.take_front(batch, static_cast<std::size_t>(left));
    batch = std::move(front);
  }
  given_ += batch.messages().size();
  return true;
}

void SliceReader::rest() {
  slice_->rest();
  place_.leave();
}

/// The filter stays over a rest, so that it sees each message once, and counts it once.
Source& SliceReader::wanted() {
  if (!asked_.filter) return *stored_;
  if (!filtered_) filtered_ = through(std::move(stored_), asked_.filter(*report_));
  return *filtered_;
}

std::vector<std::string> SliceReader::damage() const {
  DamageList all = bag_->entry->damage;
  all.add(slice_->damage);
  for (const std::string& each : left_out(*report_)) all.add(each);
  return all.sentences();
}

/// With the channels of the source, whose slots are those of the bag.
Batch SliceReader::state_before(const std::stop_token& stop) {
  LastQuery query;
  query.time = asked_.slice.begin;
  query.on_problem = [this](const Error& problem) { slice_->damage.add(problem); };
  for (const ChannelPtr& channel : *bag_->bag->summary().channels) {
    query.slots.push_back(channel && asked_.latched.contains(channel->topic) ? 1 : 0);
  }
  Batch state = bag_->bag->find_last(query, {stop});
  ChannelsPtr channels = slice_->channels();
  state.drop_if([&](const Message& message) {
    return message.channel->slot >= channels->size() || !(*channels)[message.channel->slot];
  });
  state.channels = channels;
  for (Message& message : state.messages()) {
    message.channel = (*channels)[message.channel->slot].get();
  }
  if (!asked_.filter || state.empty()) return state;
  auto filter = asked_.filter(*report_);
  std::vector<bool> is_dropped(channels->size());
  for (const ChannelPtr& channel : *channels) {
    if (channel) is_dropped[channel->slot] = !filter->map(channel);
  }
  state.drop_if([&](const Message& message) { return is_dropped[message.channel->slot]; });
  filter->apply(state);
  return state;
}

std::vector<std::string> left_out(const TranscodeReport& report) {
  std::vector<std::string> sentences;
  for (const auto& [topic, lost] : report.topics) {
    if (lost.skipped == 0 && lost.first_error.empty()) continue;
    std::string count = lost.skipped > 0 ? std::to_string(lost.skipped) + " " : "";
    sentences.push_back(
        fmt::format("{}: {}messages cannot be decoded: {}", topic, count, lost.first_error));
  }
  return sentences;
}

}  // namespace kitbag::server
