#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/bookmark.h"
#include "kitbag/pipeline.h"
#include "kitbag/session.h"
#include "kitbag/transcode.h"
#include "server/api/parameters.h"
#include "server/bags/damage_list.h"
#include "server/bags/open_bags.h"
#include "server/slices/open_slices.h"

namespace kitbag::server {

/// Which messages of a bag a request asks for.
struct SliceRequest {
  Slice slice = {};
  Selection select = {};
  std::uint64_t limit = UINT64_MAX;  ///< of the messages of the slice, without the state before it
  /// Makes the stage that drops messages which are not wanted; null: there is none. What cannot be
  /// decoded is counted in the report.
  std::function<std::unique_ptr<Stage>(TranscodeReport& report)> filter = {};
  /// Topics whose last message before the slice is given first, of those that are selected.
  std::set<std::string> state = {};
  /// Frames of videos from before the slice that its first ones need are given first.
  bool has_key_frames = false;
};

/// The messages of a slice as they are stored, in pieces of moderate size. rest() releases
/// everything but the position: a bookmark and how many messages behind it were given; where a
/// format has none, the time of the last message and how many with that time were. One thread at a
/// time.
class StoredSlice final : public Source {
 public:
  StoredSlice(OpenBagPtr bag, const SliceRequest& asked);

  /// Opens the bag where it is not, so that channels() has them.
  void open(const Wait& wait);
  ChannelsPtr channels() const override { return channels_; }
  /// Throws Error: cancelled on `wait.stop`.
  bool read(Batch& batch, const Wait& wait) override;
  void rest();

  /// What was found to be damaged so far.
  DamageList damage;

 private:
  bool read_batch(const Wait& wait);
  void mark();
  void count_given(Time time);

  OpenBagPtr bag_;
  Query query_;  ///< of the whole slice
  ChannelsPtr channels_ = std::make_shared<const Channels>();
  std::unique_ptr<Source> source_;  ///< null: it starts at bookmark_ or, without one, at from_
  Batch batch_;                     ///< what is left of the last one
  BookmarkPtr bookmark_ = nullptr;
  Time from_;                  ///< without a bookmark: latest log time that was given
  std::uint64_t done_ = 0;     ///< messages that were given, since the bookmark or of that time
  std::uint64_t skipped_ = 0;  ///< those that come once more after a rest
};

/// The messages of a slice that are wanted, piece by piece: first the state before it, which is the
/// last message of each connection of some topics, then the slice. One thread at a time.
class SliceReader {
 public:
  SliceReader(OpenBagPtr bag, SliceRequest asked, std::shared_ptr<OpenSlices> open,
              const Session& session)
      : bag_(std::move(bag)),
        asked_(std::move(asked)),
        session_(session),
        place_(std::move(open)),
        stored_(std::make_unique<StoredSlice>(bag_, asked_)) {}

  /// Fills `batch` with a moderate amount, which may be nothing; false at the end. All batches have
  /// the same channels in the same slots. Throws Error: cancelled on `stop`.
  bool read(Batch& batch, const std::stop_token& stop);
  /// Releases everything but the position.
  void rest();
  /// Whether so many slices are open that this one should rest after each piece.
  bool is_crowded() const { return place_.is_crowded(); }

  const OpenBag& bag() const { return *bag_; }
  /// Those that messages of the slice may have; valid behind the first read().
  ChannelsPtr channels() const { return slice_->channels(); }
  /// Whether the limit is why there was no more.
  bool is_limited() const { return given_ >= asked_.limit; }
  /// What was found to be damaged so far, and what was not looked at because it cannot be decoded,
  /// a sentence each.
  std::vector<std::string> damage() const;

 private:
  void find_state(const std::stop_token& stop);
  Batch find_frames(const std::stop_token& stop);
  Batch next_of_state();
  Source& wanted();

  OpenBagPtr bag_;
  SliceRequest asked_;
  Session session_;
  OpenSlices::Place place_;
  /// Of the filter, which keeps a reference.
  std::unique_ptr<TranscodeReport> report_ = std::make_unique<TranscodeReport>();
  std::unique_ptr<StoredSlice> stored_;  ///< null: it is in filtered_
  StoredSlice* slice_ = stored_.get();
  std::unique_ptr<Source>
      filtered_;  ///< slice_ through the filter; null: there is none, or not yet
  std::unique_ptr<Stage> state_filter_;  ///< null: there is no filter, or it was not needed yet
  Batch state_;                          ///< what is left of the state before the slice
  bool has_state_ =
      asked_.state.empty() && !asked_.has_key_frames;  ///< it is in state_, or was given
  std::map<std::string, std::string> missing_frames_;  ///< as FramesBefore::missing
  std::uint64_t given_of_state_ = 0;
  std::uint64_t given_ = 0;  ///< in all, without the state before the slice
};

/// "/a: 3 messages cannot be decoded: ..." for each topic with messages that were left out.
std::vector<std::string> left_out(const TranscodeReport& report);

}  // namespace kitbag::server
