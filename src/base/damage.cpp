#include "kitbag/damage.h"

namespace kitbag {

bool Damage::add(const Error& problem) {
  if (problems_.size() < kMostListed) {
    if (!seen_.emplace(problem.offset(), problem.message()).second) return false;
    problems_.push_back(problem);
  } else {
    if (seen_.count({problem.offset(), problem.message()}) > 0) return false;
    ++unlisted_;
  }
  if (problem.loss()) add(*problem.loss());
  return true;
}

void Damage::add(const Loss& loss) {
  ++losses_;
  lost_messages_ += loss.messages.value_or(0);
  is_exact_ &= loss.messages.has_value();
  lost_bytes_ += loss.bytes;
  if (loss.from && loss.to && *loss.to > *loss.from) lost_time_ += *loss.to - *loss.from;
}

}  // namespace kitbag
