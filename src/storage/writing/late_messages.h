#pragma once

#include <cstdint>
#include <string>

#include "kitbag/error.h"

namespace kitbag {

/// Counts the messages that come after later ones. No format forbids that.
class LateMessages {
 public:
  void add(std::uint64_t offset, Time time);
  /// Remarks on them, if there are any.
  void finish(const std::string& path, const OnProblem& on_finding) const;

 private:
  Time last_ = Time::min();
  std::uint64_t count_ = 0;
  std::uint64_t first_offset_ = 0;
  Time first_time_{};
};

}  // namespace kitbag
