#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "kitbag/merge.h"
#include "kitbag/selector.h"
#include "model/slice_count.h"
#include "storage/directory/member_source.h"
#include "storage/directory/store.h"
#include "stream/channel_table.h"

// Files are grouped by the times in metadata.yaml. Files that overlap are merged, all other groups
// have one file and are read one after the other, each opened when its time comes:
//
//     time    |--0--||--1--|    |-----2-----|
//                                       |-----3-----|       groups: 0, 1, 2 and 3
//
// Files that only touch are not merged if their order in the directory agrees. A usual recording
// therefore never merges, although the last message of a file and the first of the next one often
// have the same time.
//
// If several writers have written at the same time, and each many files, all files are one group.
// They are laid in lanes, so that the files of a lane do not overlap: a lane is read file after
// file, and the lanes are merged. So only as many files are open as there were writers at a time:
//
//     lane 0    |--a0--||--a1--||--a2--|
//     lane 1       |---b0---||---b1---|   |--c0--|
//
// To skip the first n messages, whole files are skipped by their counts, if nothing else is
// selected.
//
// Each file numbers its channels by itself. Their messages are moved to the channels of the
// directory, which are equal in content. A channel that no other file has announced gets a new slot
// at the end, so tables given out before stay valid.

namespace kitbag::directory {

namespace {

/// Files whose times overlap, so that they are merged.
using Group = std::vector<std::size_t>;

bool is_in_range(const Member::Declared& declared, const Query& query) {
  if (declared.messages == 0) return query.covers_all_times();
  return declared.end >= query.begin && (declared.start < query.end || query.end == Time::max());
}

std::vector<Group> make_groups(const std::vector<Member>& members, const Query& query) {
  std::vector<Group> groups;
  if (query.by == TimeField::publish_time && query.order != Order::file) {
    groups.emplace_back();  // the publish times in the files are not known
    for (std::size_t i = 0; i < members.size(); ++i) groups.back().push_back(i);
    return groups;
  }
  Group wanted;
  for (std::size_t i = 0; i < members.size(); ++i) {
    bool may_skip = query.by == TimeField::log_time;
    if (!may_skip || is_in_range(*members[i].declared, query)) wanted.push_back(i);
  }
  if (query.order == Order::file) {
    for (std::size_t i : wanted) groups.push_back({i});
    return groups;
  }
  std::stable_sort(wanted.begin(), wanted.end(), [&](std::size_t a, std::size_t b) {
    return members[a].declared->start < members[b].declared->start;
  });
  Time end = Time::min();
  std::size_t last = 0;
  for (std::size_t i : wanted) {
    const Member::Declared& declared = *members[i].declared;
    bool is_behind = declared.start > end || (declared.start == end && i > last);
    if (groups.empty() || is_behind || declared.messages == 0) groups.emplace_back();
    groups.back().push_back(i);
    end = std::max(end, declared.end);
    last = std::max(last, i);
  }
  for (Group& group : groups) std::sort(group.begin(), group.end());
  if (query.order == Order::reverse_time) std::reverse(groups.begin(), groups.end());
  return groups;
}

/// The lane of each file; empty where files were written one after the other.
std::vector<std::size_t> make_lanes(const std::vector<Member>& members) {
  auto is_joined = [](const Member& member) { return !writer_of(member.path).empty(); };
  if (std::none_of(members.begin(), members.end(), is_joined)) return {};
  std::vector<std::size_t> by_start(members.size());
  std::iota(by_start.begin(), by_start.end(), std::size_t(0));
  std::stable_sort(by_start.begin(), by_start.end(), [&](std::size_t a, std::size_t b) {
    return members[a].declared->start < members[b].declared->start;
  });
  struct Lane {
    Time end;
    std::string writer;  ///< of the last file
  };
  std::vector<Lane> lanes;
  std::vector<std::size_t> lane_of(members.size(), 0);
  for (std::size_t i : by_start) {
    const Member::Declared& declared = *members[i].declared;
    if (declared.messages == 0) continue;
    std::string writer = writer_of(members[i].path);
    auto is_free = [&](const Lane& lane) {
      bool touches = lane.end == declared.start && lane.writer == writer;
      return lane.end < declared.start || touches;
    };
    auto lane = std::find_if(lanes.begin(), lanes.end(), is_free);
    if (lane == lanes.end()) lane = lanes.insert(lane, Lane{});
    *lane = {declared.end, std::move(writer)};
    lane_of[i] = static_cast<std::size_t>(lane - lanes.begin());
  }
  return lane_of;
}

class DirectorySource final : public Source {
 public:
  DirectorySource(std::shared_ptr<const Store> store, const Query& query, std::vector<Extra> extras)
      : store_(std::move(store)),
        query_(query),
        groups_(make_groups(store_->members(), query)),
        lanes_(query.by == TimeField::log_time ? make_lanes(store_->members())
                                               : std::vector<std::size_t>()),
        extras_(std::move(extras)),
        slice_(query.nth, query.count) {
    Selector selector(query.select);
    for (const ChannelPtr& channel : *store_->summary().channels) {
      table_.push_back(selector.matches(*channel) ? channel : nullptr);
      if (table_.back()) known_.try_emplace(channel, channel.get());
    }
    channels_ = std::make_shared<const Channels>(table_);
    is_everything_ = query.select == Selection{} && query.covers_all_times();
  }

  ChannelsPtr channels() const override { return channels_; }

  bool read(Batch& batch, const Wait& wait) override {
    if (!extras_.empty()) {
      batch.channels = channels_;
      batch.extras = std::exchange(extras_, {});
      return true;
    }
    while (!has_failed_ && !slice_.is_complete()) {
      if (!source_ && !open_next()) return false;
      bool is_read = false;
      try {
        is_read = source_->read(batch, wait);
      } catch (...) {
        has_failed_ = true;
        throw;
      }
      if (!is_read) {
        source_.reset();
        continue;
      }
      bool is_pause = batch.empty() && batch.extras.empty();
      place_channels(batch);
      slice_.apply(batch);
      if (is_pause || !batch.empty() || !batch.extras.empty()) return true;
      batch.clear();
    }
    return false;
  }

 private:
  bool open_next() {
    while (next_ < groups_.size()) {
      const Group& group = groups_[next_++];
      given_.reset();
      if (group.size() > 1) {
        source_ = merge(members(group), query_.order, query_.by);
        return true;
      }
      std::uint64_t messages = store_->members()[group[0]].declared->messages;
      std::uint64_t to_skip = is_everything_ ? slice_.to_skip() : 0;
      if (to_skip > 0 && messages <= to_skip) {
        slice_.skip(messages);
        continue;
      }
      slice_.skip(to_skip);
      source_ = member(group[0], to_skip);
      return true;
    }
    return false;
  }

  std::unique_ptr<Source> member(std::size_t i, std::uint64_t nth) const {
    Query query = query_;
    query.nth = nth;
    query.count = UINT64_MAX;
    return read_member(store_, i, query);
  }

  std::vector<std::unique_ptr<Source>> members(const Group& group) const {
    if (!lanes_.empty()) {
      auto lanes = by_lane(group);
      if (lanes.size() <= kMostOpenMembers) return lane_sources(lanes);
    }
    if (group.size() > kMostOpenMembers) return read_many_members(store_, group, query_);
    std::vector<std::unique_ptr<Source>> sources;
    sources.reserve(group.size());
    for (std::size_t i : group) sources.push_back(member(i, 0));
    return sources;
  }

  /// The files of each lane, in the order of their times.
  std::map<std::size_t, Group> by_lane(const Group& group) const {
    std::map<std::size_t, Group> lanes;
    for (std::size_t i : group) lanes[lanes_[i]].push_back(i);
    const auto& members = store_->members();
    for (auto& [number, lane] : lanes) {
      std::stable_sort(lane.begin(), lane.end(), [&](std::size_t a, std::size_t b) {
        return members[a].declared->start < members[b].declared->start;
      });
      if (query_.order == Order::reverse_time) std::reverse(lane.begin(), lane.end());
    }
    return lanes;
  }

  std::vector<std::unique_ptr<Source>> lane_sources(
      const std::map<std::size_t, Group>& lanes) const {
    std::vector<std::unique_ptr<Source>> sources;
    for (const auto& [number, lane] : lanes) {
      std::vector<std::unique_ptr<Source>> files;
      files.reserve(lane.size());
      for (std::size_t i : lane) files.push_back(member(i, 0));
      sources.push_back(merge(std::move(files), Order::file));
    }
    return sources;
  }

  /// Messages of a file's channels become messages of the directory's.
  void place_channels(Batch& batch) {
    if (batch.channels && batch.channels != given_) {
      given_ = batch.channels;
      placed_.clear();
      for (const ChannelPtr& channel : *given_)
        placed_.push_back(channel ? place(channel) : nullptr);
      if (table_.size() > channels_->size()) channels_ = std::make_shared<const Channels>(table_);
    }
    batch.channels = channels_;
    for (Message& message : batch.messages()) message.channel = placed_[message.channel->slot];
  }

  const Channel* place(const ChannelPtr& channel) {
    auto known = known_.find(channel);
    if (known != known_.end()) return known->second;
    auto own = std::make_shared<Channel>(*channel);
    own->slot = static_cast<std::uint32_t>(table_.size());
    known_.emplace(own, own.get());
    table_.push_back(std::move(own));
    return table_.back().get();
  }

  std::shared_ptr<const Store> store_;
  Query query_;
  std::vector<Group> groups_;
  std::vector<std::size_t> lanes_;  ///< by member; empty: there are none
  std::size_t next_ = 0;
  std::vector<Extra> extras_;
  Channels table_;
  ChannelsPtr channels_;  ///< table_, as it is given out
  /// Those of table_.
  std::unordered_map<ChannelPtr, const Channel*, ChannelContentHash, ChannelContentEqual> known_;
  SliceCount slice_;
  bool has_failed_ = false;
  bool is_everything_ = false;
  std::unique_ptr<Source> source_;
  ChannelsPtr given_;                   ///< the table of source_
  std::vector<const Channel*> placed_;  ///< by its slots
};

}  // namespace

std::unique_ptr<Source> read_directory(std::shared_ptr<const Store> store, const Query& query,
                                       std::vector<Extra> extras) {
  return std::make_unique<DirectorySource>(std::move(store), query, std::move(extras));
}

}  // namespace kitbag::directory
