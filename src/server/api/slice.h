#pragma once

#include <functional>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/bookmark.h"
#include "kitbag/pipeline.h"
#include "kitbag/session.h"
#include "kitbag/transcode.h"
#include "server/api/open_slices.h"
#include "server/api/parameters.h"
#include "server/bags/open_bags.h"

namespace kitbag::server {

/// Which messages of a bag a request asks for.
struct SliceRequest {
  Slice slice = {};
  Selection select = {};
  std::uint64_t limit = UINT64_MAX;  ///< of the messages of the slice, without the state before it
  /// Makes the stage that drops messages which are not wanted; null: there is none. What cannot be
  /// decoded is counted in the report.
  std::function<std::unique_ptr<Stage>(TranscodeReport& report)> filter = {};
  /// Topics whose last message before the slice is given first.
  std::set<std::string> latched = {};
};

/// The messages of a slice, piece by piece: first the state before it, which is the last message of
/// each connection of latched topics, then the slice. rest() releases everything but the
/// position: a bookmark and how many messages behind it were given; where a format has none, the
/// time of the last message and how many with that time were. One thread at a time.
class SliceReader {
 public:
  SliceReader(OpenBagPtr bag, SliceRequest asked, std::shared_ptr<OpenSlices> open)
      : bag_(std::move(bag)),
        asked_(std::move(asked)),
        place_(std::move(open)),
        from_(asked_.slice.begin) {}

  /// Fills `batch` with a moderate amount; false at the end. All batches have the same channels in
  /// the same slots. Throws Error: cancelled on `stop`.
  bool read(Batch& batch, const std::stop_token& stop);
  void rest();
  /// Whether so many slices are open that this one should rest after each piece.
  bool is_crowded() const { return place_.is_crowded(); }

  const OpenBag& bag() const { return *bag_; }
  /// Whether the limit is why there was no more.
  bool is_limited() const { return given_ >= asked_.limit; }
  /// What was found to be damaged so far, and what was not looked at because it cannot be decoded,
  /// a sentence each.
  std::vector<std::string> damage() const;

 private:
  std::unique_ptr<Source> open_rest(const std::stop_token& stop);
  Batch state_before(const std::stop_token& stop);
  bool read_batch(const std::stop_token& stop);
  void mark();
  Batch front_of_batch();
  void count_given(Time time);

  OpenBagPtr bag_;
  SliceRequest asked_;
  OpenSlices::Place place_;
  std::unique_ptr<Source> source_;  ///< null: it starts at bookmark_ or, without one, at from_
  const Source* stored_ = nullptr;  ///< that of the bag, in source_
  Batch batch_;                     ///< what is left of the last one
  bool has_given_state_ = false;
  BookmarkPtr bookmark_ = nullptr;
  Time from_;                  ///< without a bookmark: latest log time that was given
  std::uint64_t done_ = 0;     ///< messages that were given, since the bookmark or of that time
  std::uint64_t skipped_ = 0;  ///< those that come once more after a rest
  std::uint64_t given_ = 0;    ///< in all, without the state before the slice
  DamageList damage_;          ///< found while reading
  /// Of the filters, which keep a reference.
  std::unique_ptr<TranscodeReport> report_ = std::make_unique<TranscodeReport>();
};

/// "/a: 3 messages cannot be decoded: ..." for each topic with messages that were left out.
std::vector<std::string> left_out(const TranscodeReport& report);

}  // namespace kitbag::server
