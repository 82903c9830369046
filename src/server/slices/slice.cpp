#include "server/slices/slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/selector.h"
#include "kitbag/text.h"
#include "kitbag/video.h"
#include "server/api/served.h"

// A client that has stopped reading may come back in an hour, so a slice must cost little while it
// rests: no source, no chunks. What remains is the bag and where to go on.
//
//   with a bookmark      bookmark_, and done_ messages behind it
//   without              the latest time from_, and done_ messages of exactly that time
//
// After a rest the slice is opened there, and the first done_ messages are skipped. Times alone
// would not do: several messages may have the same one, and they would be lost or come twice.
//
// The bookmark is taken before a batch is read, so it stands at the batch's beginning: a batch that
// is given in part is found again.

namespace kitbag::server {
namespace {

/// Payload that is given at once, by one read().
constexpr std::size_t kReadBytes = 16 << 10;

/// How many messages of the batch are given at once.
std::size_t front_of(const Batch& batch) {
  std::size_t count = 0;
  std::size_t bytes = 0;
  for (const Message& message : batch.messages()) {
    if (bytes >= kReadBytes) break;
    bytes += message.data.size();
    ++count;
  }
  return count;
}

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
  batch = Batch();
  batch.take_front(batch_, front_of(batch_));
  for (const Message& message : std::as_const(batch).messages()) count_given(message.log_time);
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
  if (!std::exchange(has_state_, true)) find_state(stop);
  if (!state_.empty()) {
    batch = next_of_state();
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
  if (!state_.empty()) has_state_ = false;
  state_ = Batch();
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
  for (const auto& [topic, why] : missing_frames_) {
    all.add(fmt::format("{}: the first frames cannot be decoded: {}", topic, why));
  }
  return all.sentences();
}

/// What was not given yet, with the channels of the source, whose slots are those of the bag.
void SliceReader::find_state(const std::stop_token& stop) {
  LastQuery query;
  query.time = asked_.slice.begin;
  query.on_problem = [this](const Error& problem) { slice_->damage.add(problem); };
  Selector selector(asked_.select);
  ChannelsPtr channels = slice_->channels();
  for (const ChannelPtr& channel : *bag_->bag->channels()) {
    bool is_wanted = channel && asked_.state.contains(channel->topic) &&
                     selector.matches(*channel) && channel->slot < channels->size() &&
                     (*channels)[channel->slot];
    query.slots.push_back(is_wanted ? 1 : 0);
  }
  state_ = bag_->bag->find_last(query, {stop});
  state_.channels = channels;
  for (Message& message : state_.messages()) {
    message.channel = (*channels)[message.channel->slot].get();
  }
  Batch frames = find_frames(stop);
  std::set<std::uint32_t> with_frames;  // the last one of them is the state
  for (const Message& message : frames.messages()) with_frames.insert(message.channel->slot);
  state_.drop_if([&](const Message& each) { return with_frames.contains(each.channel->slot); });
  frames.take_front(state_, state_.messages().size());
  state_ = std::move(frames);
  Batch given;
  given.take_front(state_, static_cast<std::size_t>(given_of_state_));
}

/// Those that the state needs, with it, and those that the first frames of other topics need.
Batch SliceReader::find_frames(const std::stop_token& stop) {
  if (!asked_.has_key_frames) return {};
  Wait wait{stop, kNever};
  FramesBefore found = frames_of_state(bag_->bag, state_, asked_.slice.begin, slice_->channels(),
                                       session_, {}, wait);
  Query query{.select = asked_.select,
              .begin = asked_.slice.begin,
              .end = asked_.slice.end,
              .on_problem = [](const Error&) {}};
  for (const std::string& topic : asked_.state)
    query.select.exclude.push_back(exact_pattern(topic));
  FramesBefore others = frames_before({bag_->bag}, query, slice_->channels(), session_, {}, wait);
  missing_frames_ = std::move(found.missing);
  missing_frames_.merge(others.missing);
  found.frames.take_front(others.frames, others.frames.messages().size());
  return std::move(found.frames);
}

Batch SliceReader::next_of_state() {
  Batch batch;
  batch.take_front(state_, front_of(state_));
  given_of_state_ += batch.messages().size();
  if (!asked_.filter) return batch;
  if (!state_filter_) state_filter_ = asked_.filter(*report_);
  std::vector<bool> is_dropped(batch.channels->size());
  for (const ChannelPtr& channel : *batch.channels) {
    if (channel) is_dropped[channel->slot] = !state_filter_->map(channel);
  }
  batch.drop_if([&](const Message& message) { return is_dropped[message.channel->slot]; });
  state_filter_->apply(batch);
  return batch;
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
