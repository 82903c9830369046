#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "flow/sim_time.h"
#include "kitbag/error.h"
#include "kitbag/live.h"
#include "kitbag/record.h"
#include "live/record/silent_topics.h"

namespace kitbag {

/// Notices which of a recording's options come to nothing: topics that stay silent, a clock that
/// nobody publishes, excluded topics and chunk sizes of topics that do not exist.
class UnmetRequests {
 public:
  /// `options` and `clock`, the report of sim_time(), must outlive it.
  UnmetRequests(const RecordOptions& options, const SimTimeReport& clock);

  /// Takes note of the messages of `batch`.
  void take(const Batch& batch) { silent_.take(batch); }
  /// Adds the messages that were left out for want of a time to `dropped`.
  void count(std::map<std::string, std::uint64_t>& dropped) const;
  /// Returns what there is to say when the recording has taken `elapsed`.
  std::vector<Error> tell(Duration elapsed, const LiveSource& source);
  /// Returns what is left to say at the end.
  std::vector<Error> tell_at_end(const LiveSource& source);

 private:
  void hear_left_out();
  void tell_of_clock(bool is_end, std::vector<Error>& told);
  void tell_of_excludes(const LiveSource& source, std::vector<Error>& told);
  void tell_of_chunks(const LiveSource& source, std::vector<Error>& told) const;

  const RecordOptions& options_;
  const SimTimeReport& clock_;
  SilentTopics silent_;
  bool is_clock_told_ = false;
  bool are_excludes_told_ = false;
};

}  // namespace kitbag
