#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/pipeline.h"
#include "kitbag/selector.h"
#include "kitbag/text.h"
#include "kitbag/video.h"
#include "model/kept_message.h"
#include "pictures/frame_in_message.h"

// A cut that begins between two key frames would begin with changes to frames that it lacks. The
// first frame of each topic in the query is looked at. Only if it is no key frame, the topic is
// read backwards from the begin, until its last key frame has come. What was met on the way is
// kept: that many frames are wanted anyhow, and going back once more would read the same chunks
// twice.
//
// Topics are read one by one. Together, those that have their key frame would be read on, past all
// their frames, to that of a camera which was last on an hour ago.
//
// Several bags are read as one, because a recording that was split goes on in the next file in the
// middle of a video.

namespace kitbag {
namespace {

/// Where channels of other sources are in a table, by their content.
class SlotsIn {
 public:
  explicit SlotsIn(const Channels& table) : table_(table) {}

  std::optional<std::uint32_t> of(const Channel& channel) {
    auto [known, is_new] = slots_.try_emplace(&channel);
    if (!is_new) return known->second;
    for (std::size_t slot = 0; slot < table_.size(); ++slot) {
      if (!table_[slot] || !same_content(*table_[slot], channel)) continue;
      known->second = static_cast<std::uint32_t>(slot);
      break;
    }
    return known->second;
  }

 private:
  const Channels& table_;
  std::map<const Channel*, std::optional<std::uint32_t>> slots_;
};

/// The frames of one channel on the way back to its key frame.
struct Lane {
  bool is_done = false;
  std::uint64_t bytes = 0;
  std::vector<KeptMessage> kept = {};  ///< the latest first
};

class Finder {
 public:
  Finder(const std::vector<BagPtr>& bags, const Query& query, const ChannelsPtr& channels,
         const Session& session, const VideoLimits& limits, const Wait& wait)
      : bags_(bags),
        query_(query),
        channels_(channels),
        session_(session),
        limits_(limits),
        wait_(wait) {}

  FramesBefore find() {
    FramesBefore found;
    for (const std::string& topic : topics()) find_in(topic, lanes_in_need(topic), found);
    return completed(std::move(found));
  }

  /// What `state` needs, which is of the bags and from before the query.
  FramesBefore find_for(const Batch& state) {
    keeps_headless_ = true;
    std::map<std::string, std::map<std::uint32_t, Lane>> by_topic;
    FramesInMessages frames(session_);
    for (const Message& message : state.messages()) {
      if (!may_have_video(*message.channel, session_) || !needs_others(message, frames)) continue;
      by_topic[message.channel->topic].try_emplace(message.channel->slot);
    }
    FramesBefore found;
    for (auto& [topic, lanes] : by_topic) find_in(topic, std::move(lanes), found);
    return completed(std::move(found));
  }

 private:
  FramesBefore completed(FramesBefore found) {
    if (kept_.empty()) return found;
    found.frames = batch_of(std::move(kept_), channels_, query_.by);
    for (Message& message : found.frames.messages()) message.flags |= kState;
    return found;
  }

  std::set<std::string> topics() const {
    std::set<std::string> topics;
    Selector selector(query_.select);
    for (const ChannelPtr& channel : *channels_) {
      if (!channel || !selector.matches(*channel)) continue;
      if (may_have_video(*channel, session_)) topics.insert(channel->topic);
    }
    return topics;
  }

  void find_in(const std::string& topic, std::map<std::uint32_t, Lane> lanes, FramesBefore& found) {
    if (lanes.empty()) return;
    std::string missing = walk_back(topic, lanes);
    bool has_frames = false;
    for (auto& [slot, lane] : lanes) {
      has_frames = has_frames || !lane.kept.empty();
      std::move(lane.kept.rbegin(), lane.kept.rend(), std::back_inserter(kept_));
    }
    if (has_frames) ++found.topics;
    if (!missing.empty()) found.missing.emplace(topic, std::move(missing));
  }

  /// The channels of the topic whose first frame in the query is no key frame.
  std::map<std::uint32_t, Lane> lanes_in_need(const std::string& topic) {
    Query forwards{.select = {.topics = {exact_pattern(topic)}},
                   .begin = query_.begin,
                   .end = query_.end,
                   .by = query_.by,
                   .on_problem = [](const Error&) {}};  // the reader of the query reports it
    std::size_t unseen = static_cast<std::size_t>(
        std::count_if(channels_->begin(), channels_->end(), [&](const ChannelPtr& channel) {
          return channel && channel->topic == topic && may_have_video(*channel, session_);
        }));
    std::set<std::uint32_t> seen;
    std::map<std::uint32_t, Lane> lanes;
    SlotsIn slots(*channels_);
    FramesInMessages frames(session_);
    std::uint64_t messages = 0;
    for (const Message& message : Messages(kitbag::read(bags_, forwards, wait_))) {
      throw_if_stopped(wait_);
      std::optional<std::uint32_t> slot = slots.of(*message.channel);
      bool is_first =
          slot && may_have_video(*message.channel, session_) && seen.insert(*slot).second;
      if (is_first && needs_others(message, frames)) lanes.try_emplace(*slot);
      if (seen.size() == unseen || ++messages == limits_.most_messages) break;
    }
    return lanes;
  }

  bool needs_others(const Message& message, FramesInMessages& frames) const {
    try {
      auto frame = frames.frame_in(message);
      return frame && !frame->is_key();
    } catch (const Error& error) {
      if (is_final(error.code())) throw;
      return has_video(*message.channel, session_);  // the frames behind it do
    }
  }

  /// Returns why there are no frames of a lane; empty: there are.
  std::string walk_back(const std::string& topic, std::map<std::uint32_t, Lane>& lanes) {
    std::string missing;
    auto give_up = [&](Lane& lane, std::string why) {
      lane.is_done = true;
      bytes_ -= lane.bytes;
      lane.kept.clear();
      if (missing.empty()) missing = std::move(why);
    };
    std::optional<Error> problem;
    Query backwards{.select = {.topics = {exact_pattern(topic)}},
                    .end = query_.begin,
                    .order = Order::reverse_time,
                    .by = query_.by,
                    .on_problem = [&](const Error& error) {
                      if (error.code() != ErrorCode::remark && !problem) problem = error;
                    }};
    SlotsIn slots(*channels_);
    FramesInMessages frames(session_);
    std::size_t open = lanes.size();
    for (const Message& message : Messages(kitbag::read(bags_, backwards, wait_))) {
      throw_if_stopped(wait_);
      std::optional<std::uint32_t> slot = slots.of(*message.channel);
      auto place = slot ? lanes.find(*slot) : lanes.end();
      if (place == lanes.end() || place->second.is_done) continue;
      Lane& lane = place->second;
      if (!add(message, *slot, lane)) {
        give_up(lane,
                fmt::format("its last key frame before {} is more than {} messages or {} back",
                            format_time(query_.begin), limits_.most_messages,
                            format_size(limits_.most_bytes)));
      } else if (is_key(message, frames)) {
        lane.is_done = true;
      }
      if (lane.is_done && --open == 0) break;
    }
    for (auto& [slot, lane] : lanes) {
      if (lane.is_done || keeps_headless_) continue;
      give_up(lane, fmt::format("it has no key frame before {}", format_time(query_.begin)));
    }
    if (missing.empty() && problem) {
      missing = "frames before " + format_time(query_.begin) + " are damaged: " + problem->what();
    }
    return missing;
  }

  /// False: that is too much.
  bool add(const Message& message, std::uint32_t slot, Lane& lane) {
    if (lane.kept.size() == limits_.most_messages) return false;
    if (message.data.size() > limits_.most_bytes - std::min(bytes_, limits_.most_bytes))
      return false;
    KeptMessage kept = keep(message);
    kept.slot = slot;
    lane.kept.push_back(std::move(kept));
    lane.bytes += message.data.size();
    bytes_ += message.data.size();
    return true;
  }

  static bool is_key(const Message& message, FramesInMessages& frames) {
    try {
      auto frame = frames.frame_in(message);
      return frame && frame->is_key();
    } catch (const Error& error) {
      if (is_final(error.code())) throw;
      return false;
    }
  }

  const std::vector<BagPtr>& bags_;
  const Query& query_;
  const ChannelsPtr& channels_;
  const Session& session_;
  const VideoLimits& limits_;
  const Wait& wait_;
  /// All frames of a topic without a key frame are kept.
  bool keeps_headless_ = false;
  std::uint64_t bytes_ = 0;  ///< that are kept
  std::vector<KeptMessage> kept_;
};

/// Gives frames in front of a source. The last frame of a latched channel is among them, and the
/// state that the source begins with need not have it too.
class InFront final : public Source {
 public:
  InFront(Batch frames, std::unique_ptr<Source> source)
      : frames_(std::move(frames)), source_(std::move(source)) {
    for (const Message& message : frames_.messages()) slots_.insert(message.channel->slot);
  }

  ChannelsPtr channels() const override { return source_->channels(); }
  bool read(Batch& batch, const Wait& wait) override {
    if (!frames_.empty()) {
      batch = std::exchange(frames_, Batch());
      return true;
    }
    if (!source_->read(batch, wait)) return false;
    is_behind_state_ = is_behind_state_ || drop_known(batch);
    return true;
  }

 private:
  /// Returns whether there is a message of the query, behind which no state comes.
  bool drop_known(Batch& batch) const {
    bool has_others = false;
    batch.drop_if([&](const Message& message) {
      bool is_state = (message.flags & kState) != 0;
      has_others = has_others || !is_state;
      return is_state && slots_.contains(message.channel->slot);
    });
    return has_others;
  }

  Batch frames_;
  std::unique_ptr<Source> source_;
  std::set<std::uint32_t> slots_;
  bool is_behind_state_ = false;
};

}  // namespace

FramesBefore frames_before(const std::vector<BagPtr>& bags, const Query& query,
                           const ChannelsPtr& channels, const Session& session,
                           const VideoLimits& limits, const Wait& wait) {
  bool is_stream = std::any_of(bags.begin(), bags.end(),
                               [](const BagPtr& bag) { return bag->summary().is_stream; });
  if (query.begin == Time::min() || query.order == Order::reverse_time || is_stream) return {};
  return Finder(bags, query, channels, session, limits, wait).find();
}

FramesBefore frames_of_state(const BagPtr& bag, const Batch& state, Time begin,
                             const ChannelsPtr& channels, const Session& session,
                             const VideoLimits& limits, const Wait& wait) {
  if (begin == Time::min() || bag->summary().is_stream) return {};
  return Finder({bag}, {.begin = begin}, channels, session, limits, wait).find_for(state);
}

std::unique_ptr<Source> read_from_key_frames(const std::vector<BagPtr>& bags, const Query& query,
                                             KeyFrameReport* report, const Session& session,
                                             const Wait& wait) {
  auto source = read(bags, query, wait);
  FramesBefore found = frames_before(bags, query, source->channels(), session, {}, wait);
  if (report) {
    report->frames += found.frames.messages().size();
    report->missing.merge(found.missing);
  }
  if (found.frames.empty()) return source;
  return std::make_unique<InFront>(std::move(found.frames), std::move(source));
}

bool has_video(const Bag& bag, const std::string& topic, const Session& session, const Wait& wait) {
  bool may_be = false;
  for (const ChannelPtr& channel : *bag.channels()) {
    if (!channel || channel->topic != topic) continue;
    if (has_video(*channel, session)) return true;
    may_be = may_be || may_have_video(*channel, session);
  }
  if (!may_be) return false;
  FramesInMessages frames(session);
  Query first{.select = {.topics = {exact_pattern(topic)}}, .count = 1};
  for (const Message& message : Messages(bag.read(first, wait))) {
    if (!may_have_video(*message.channel, session)) return false;
    try {
      return frames.frame_in(message).has_value();
    } catch (const Error& error) {
      if (is_final(error.code())) throw;
    }
  }
  return false;
}

}  // namespace kitbag
