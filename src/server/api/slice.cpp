#include "server/api/slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/text.h"
#include "server/api/served.h"

namespace kitbag::server {
namespace {

/// Payload that is given at once.
constexpr std::size_t kPartBytes = 32 << 10;

}  // namespace

bool SliceReader::read(Batch& batch, const std::stop_token& stop) {
  if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "the client has gone");
  if (bag_->lease->is_revoked()) throw Error(ErrorCode::cancelled, "the bag has been deleted");
  place_.enter();
  if (!source_) source_ = open_rest(stop);
  if (!std::exchange(has_given_state_, true) && !asked_.latched.empty()) {
    batch = state_before(stop);
    return true;
  }
  if (is_limited() || (batch_.empty() && !read_batch(stop))) return false;
  batch = front_of_batch();
  return true;
}

void SliceReader::rest() {
  source_.reset();
  stored_ = nullptr;
  place_.leave();
  batch_ = Batch();
  skipped_ = done_;
}

/// Returns false at the end of the slice.
bool SliceReader::read_batch(const std::stop_token& stop) {
  do {
    if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "the client has gone");
    batch_.clear();
    mark();
    if (!source_->read(batch_, {stop})) return false;
    batch_.extras.clear();
    batch_.drop_if([&](const Message&) { return skipped_ > 0 && skipped_-- > 0; });
  } while (batch_.empty());
  return true;
}

/// Notes where the next batch begins, unless messages before its beginning are still skipped.
void SliceReader::mark() {
  if (skipped_ > 0) return;
  bookmark_ = bookmark_of(*stored_);
  if (bookmark_) done_ = 0;
}

/// Takes a piece of moderate size from the batch; the rest of it stays.
Batch SliceReader::front_of_batch() {
  std::size_t count = 0;
  std::size_t bytes = 0;
  for (const Message& message : std::as_const(batch_).messages()) {
    if (bytes >= kPartBytes || is_limited()) break;
    bytes += message.data.size();
    ++count;
    ++given_;
    count_given(message.log_time);
  }
  Batch part;
  part.take_front(batch_, count);
  return part;
}

void SliceReader::count_given(Time time) {
  if (!bookmark_ && time > from_) {
    from_ = time;
    done_ = 0;
  }
  // What comes late lies before from_, and does not come once more.
  if (bookmark_ || time == from_) ++done_;
}

std::vector<std::string> SliceReader::damage() const {
  DamageList all = bag_->entry->damage;
  all.add(damage_);
  for (const std::string& each : left_out(*report_)) all.add(each);
  return all.sentences();
}

/// What follows the position that was reached.
std::unique_ptr<Source> SliceReader::open_rest(const std::stop_token& stop) {
  Query query;
  query.select = asked_.select;
  query.begin = from_;
  query.end = asked_.slice.end;
  query.on_problem = [this](const Error& problem) { damage_.add(problem); };
  std::unique_ptr<Source> source =
      bookmark_ ? bookmark_->read({stop}) : bag_->bag->read(query, {stop});
  stored_ = source.get();
  if (!asked_.filter) return source;
  return through(std::move(source), asked_.filter(*report_));
}

/// With the channels of the source, whose slots are those of the bag.
Batch SliceReader::state_before(const std::stop_token& stop) {
  Selection select;
  for (const std::string& topic : asked_.latched) select.topics.push_back(exact_pattern(topic));
  Batch state = bag_->bag->last_before(asked_.slice.begin, select, {stop});
  ChannelsPtr channels = source_->channels();
  state.drop_if([&](const Message& message) {
    return message.channel->slot >= channels->size() || !(*channels)[message.channel->slot];
  });
  state.channels = channels;
  for (Message& message : state.messages()) {
    message.channel = (*channels)[message.channel->slot].get();
  }
  if (!asked_.filter || state.empty()) return state;
  auto filter = asked_.filter(*report_);
  for (const ChannelPtr& channel : *channels) {
    if (channel) filter->map(channel);
  }
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
