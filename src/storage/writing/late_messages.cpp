#include "storage/writing/late_messages.h"

#include <fmt/format.h>

#include <algorithm>

#include "kitbag/text.h"

namespace kitbag {

void LateMessages::add(std::uint64_t offset, Time time) {
  if (time < last_ && count_++ == 0) {
    first_offset_ = offset;
    first_time_ = time;
  }
  last_ = std::max(last_, time);
}

void LateMessages::finish(const std::string& path, const OnProblem& on_finding) const {
  if (count_ == 0) return;
  report(on_finding,
         Error(ErrorCode::remark,
               fmt::format(
                   "{} come{} after later ones, the first at {}; kitbag sort puts them in order",
                   count_ == 1 ? "1 message" : fmt::format("{} messages", count_),
                   count_ == 1 ? "s" : "", format_time(first_time_)),
               path, first_offset_));
}

}  // namespace kitbag
