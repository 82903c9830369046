#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kitbag/record.h"
#include "kitbag/session.h"

namespace kitbag {

/// The topics that a recording has seen: which lack definitions, and which have as many messages as
/// are wanted.
class RecordedTopics {
 public:
  /// `limit`: the most messages of each topic.
  RecordedTopics(std::optional<std::uint64_t> limit, const Session& session)
      : limit_(limit), session_(session) {}

  /// Adds the channels of a batch.
  void declare(const Channels& channels);
  /// Removes the messages beyond the limit. All channels stay declared.
  void drop_beyond_limit(Batch& batch);
  /// Whether every topic has reached the limit.
  bool are_complete() const;

  void tell(RecordStatus& status) const;

 private:
  bool is_undefined(const Channel& channel) const;

  std::optional<std::uint64_t> limit_;
  Session session_;
  std::size_t declared_ = 0;  ///< slots
  std::set<std::string> topics_;
  std::set<std::string> undefined_;
  std::map<std::string, std::uint64_t> taken_;  ///< by topic
  std::vector<std::uint64_t*> taken_of_;        ///< in it, by slot
};

}  // namespace kitbag
