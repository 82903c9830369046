#pragma once

#include <map>
#include <vector>

#include "compare/topic_comparison.h"

namespace kitbag {

/// Reads two sources side by side and hands their messages to the comparisons of their topics.
class Comparer {
 public:
  /// `limit_bytes`: how much may wait for a counterpart before run() gives up.
  Comparer(Source& a, Source& b, bool ignore_time, std::size_t keep, std::size_t limit_bytes);

  /// Once. Throws Error: cancelled, or unsupported when the sources run too far apart.
  Comparison run(std::stop_token stop);

 private:
  struct Input {
    Source* source;
    ChannelsPtr channels;                  ///< keeps the channels of waiting messages alive
    std::vector<TopicComparison*> topics;  ///< by slot
    Batch batch;
    std::uint64_t messages = 0;
    Time last{};
  };

  Side behind() const;
  void read(Side side, std::stop_token stop);
  void note_time(Input& input, Time time);
  TopicComparison& topic_of(Input& input, const Channel& channel);
  bool has_topic(Side side, const std::string& topic) const;
  std::size_t waiting() const { return state_.waiting[kSideA] + state_.waiting[kSideB]; }
  void relieve();

  std::array<Input, 2> inputs_;  ///< by side
  std::size_t limit_bytes_;
  bool is_direction_known_ = false;
  ComparisonState state_;
  std::map<std::string, TopicComparison> topics_;
};

}  // namespace kitbag
