#include "server/api/slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/text.h"
#include "server/api/served.h"

namespace kitbag::server {
namespace {

/// Counts what passes.
class Counting final : public Source {
 public:
  Counting(std::unique_ptr<Source> source, std::uint64_t& count)
      : source_(std::move(source)), count_(count) {}

  ChannelsPtr channels() const override { return source_->channels(); }
  bool read(Batch& batch, const Wait& wait) override {
    bool more = source_->read(batch, wait);
    count_ += batch.messages().size();
    return more;
  }

 private:
  std::unique_ptr<Source> source_;
  std::uint64_t& count_;
};

}  // namespace

bool SliceReader::read(Batch& batch, const std::stop_token& stop) {
  if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "the client has gone");
  if (bag_->lease->is_revoked()) throw Error(ErrorCode::cancelled, "the bag has been deleted");
  if (!source_) source_ = open_rest(stop);
  if (!std::exchange(has_given_state_, true) && !asked_.latched.empty()) {
    batch = state_before(stop);
    return true;
  }
  if (is_limited() || !source_->read(batch, {stop})) return false;
  batch.extras.clear();
  batch.drop_if([&](const Message&) { return given_ >= asked_.limit || (++given_, false); });
  return true;
}

std::vector<std::string> SliceReader::damage() const {
  Damage all = bag_->entry->damage;
  all.add(damage_);
  for (const std::string& each : left_out(*report_)) all.add(each);
  return all.sentences();
}

/// What follows the position that was reached.
std::unique_ptr<Source> SliceReader::open_rest(const std::stop_token& stop) {
  Query query;
  query.select = asked_.select;
  query.begin = asked_.slice.begin;
  query.end = asked_.slice.end;
  query.nth = position_;
  query.on_problem = [this](const Error& problem) { damage_.add(problem); };
  std::unique_ptr<Source> source =
      std::make_unique<Counting>(bag_->bag->read(query, {stop}), position_);
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
