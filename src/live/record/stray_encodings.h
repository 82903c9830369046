#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/message.h"

namespace kitbag {

/// Leaves out of a recording what its files cannot hold: a bag has one encoding per topic, and a
/// sender of another one must not end the recording. The first encoding of a topic is kept.
class StrayEncodings {
 public:
  /// `tell` is called once for each topic, for the first topics; what is left out is counted for
  /// all.
  explicit StrayEncodings(OnProblem tell) : tell_(std::move(tell)) {}

  /// Removes messages on channels with another encoding, and these channels from the batch's table.
  void drop(Batch& batch);

  /// Messages left out, by topic.
  const std::map<std::string, std::uint64_t>& dropped() const { return dropped_; }

 private:
  void declare(const ChannelsPtr& channels);
  void tell(const Channel& channel, const std::string& kept);

  OnProblem tell_;
  ChannelsPtr seen_;
  ChannelsPtr kept_;            ///< `seen_` without what is left out
  std::vector<bool> is_stray_;  ///< by slot
  bool has_strays_ = false;
  std::map<std::string, std::string> encodings_;  ///< by topic
  std::map<std::string, std::uint64_t> dropped_;
};

}  // namespace kitbag
