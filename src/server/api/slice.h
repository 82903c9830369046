#pragma once

#include <functional>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/pipeline.h"
#include "kitbag/session.h"
#include "kitbag/transcode.h"
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
/// each connection of latched topics, then the slice. rest() lets go of everything but the
/// position. One thread at a time.
class SliceReader {
 public:
  SliceReader(OpenBagPtr bag, SliceRequest asked)
      : bag_(std::move(bag)), asked_(std::move(asked)) {}

  /// Fills `batch`; false at the end. All batches have the same channels in the same slots. Throws
  /// Error: cancelled on `stop`.
  bool read(Batch& batch, const std::stop_token& stop);
  void rest() { source_.reset(); }

  const OpenBag& bag() const { return *bag_; }
  /// Whether the limit is why there was no more.
  bool is_limited() const { return given_ >= asked_.limit; }
  /// What was found to be damaged so far, and what was not looked at because it cannot be decoded,
  /// a sentence each.
  std::vector<std::string> damage() const;

 private:
  std::unique_ptr<Source> open_rest(const std::stop_token& stop);
  Batch state_before(const std::stop_token& stop);

  OpenBagPtr bag_;
  SliceRequest asked_;
  std::unique_ptr<Source> source_;  ///< null: it starts at position_
  bool has_given_state_ = false;
  std::uint64_t position_ = 0;  ///< messages of the slice that were read
  std::uint64_t given_ = 0;     ///< of these, what passed the condition
  Damage damage_;               ///< found while reading
  /// Of the filters, which keep a reference.
  std::unique_ptr<TranscodeReport> report_ = std::make_unique<TranscodeReport>();
};

/// "/a: 3 messages cannot be decoded: ..." for each topic with messages that were left out.
std::vector<std::string> left_out(const TranscodeReport& report);

}  // namespace kitbag::server
