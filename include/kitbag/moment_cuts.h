#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/export.h"
#include "kitbag/find.h"
#include "kitbag/session.h"
#include "kitbag/time.h"

// Moments as bags of their own: what happened around them, cut out of the bag in which they were
// found. What `kitbag find --cut` writes.

namespace kitbag {

/// A range of log times around moments.
struct CutRange {
  Time begin{};               ///< the first one in the range
  Time end{};                 ///< the last one in the range
  std::uint64_t moments = 0;  ///< that are in it
};

/// The ranges around the moments of one bag. Those that overlap or touch are one.
class KITBAG_API CutRanges {
 public:
  /// Begins without ranges. `around` is the time before the first message of a moment, and after
  /// its last one; zero or more.
  explicit CutRanges(Duration around) : around_(around) {}

  /// Adds the range around a moment.
  void add(const Moment& moment);
  /// Returns whether there are no ranges.
  bool is_empty() const { return ranges_.empty(); }
  /// Returns the ranges, the earliest first, and forgets them.
  std::vector<CutRange> take();

 private:
  Duration around_;
  std::map<Time, CutRange> ranges_;  ///< by begin
};

/// How cuts are written.
struct CutOptions {
  std::string folder;        ///< made if it is missing; also in an object store: "s3://bags/cuts"
  bool may_replace = false;  ///< other files with the names of cuts
  /// The frames of videos that the first ones in a range need are in front of them
  /// (frames_before() in video.h).
  bool has_key_frames = true;
};

/// A cut.
struct Cut {
  std::string path;                 ///< of its bag
  CutRange range;                   ///< within the times of the bag that it is cut out of
  std::uint64_t messages = 0;       ///< of the cut, with those from before its range
  bool was_there = false;           ///< it was written before
  std::uint64_t frames_before = 0;  ///< frames of videos from before its range
  /// Why the first frames of a topic cannot be decoded all the same, by topic.
  std::map<std::string, std::string> missing = {};
};

/// Writes an MCAP file for each of `ranges` of `bag`, which is at `path`: all messages in that
/// time, and before them the last message of each latched topic and the frames of videos that the
/// first ones need. Its name is that of the bag and
/// the time at which it begins: drive-2026-11-20T14-30-00.5Z.mcap. The metadata "kitbag_cut" in it
/// says what it is cut out of; by that, a cut that is already there is known, and stays. `on_cut`
/// is called with each cut, or with the Error for which it could not be written: nothing of it is
/// left then. Throws Error (cancelled).
KITBAG_API void write_cuts(const std::string& path, const Bag& bag,
                           const std::vector<CutRange>& ranges, const CutOptions& options,
                           const Session& session,
                           const std::function<void(const Cut& cut, const Error* error)>& on_cut,
                           const std::stop_token& stop = {});

}  // namespace kitbag
