#include "kitbag/damage.h"

#include <algorithm>

namespace kitbag {

bool Damage::add(const Error& problem) {
  if (problems_.size() < kMostListed) {
    if (!seen_.emplace(problem.file(), problem.offset(), problem.message()).second) return false;
    problems_.push_back(problem);
  } else {
    // The list is full, and from here on problems are counted only: a file of garbage may have
    // millions. One of these that comes again counts again.
    if (seen_.count({problem.file(), problem.offset(), problem.message()}) > 0) return false;
    ++unlisted_;
  }
  if (problem.loss()) add(*problem.loss());
  return true;
}

const Error& Damage::worst() const {
  auto is_costly = [](const Error& problem) { return problem.loss().has_value(); };
  auto first = std::find_if(problems_.begin(), problems_.end(), is_costly);
  return first == problems_.end() ? problems_.front() : *first;
}

void Damage::add(const Loss& loss) {
  // The file contradicts itself, and nothing is known to be lost.
  bool is_difference = loss.bytes == 0 && loss.messages == 0U;
  if (is_difference) {
    ++differences_;
    return;
  }
  ++losses_;
  lost_messages_ += loss.messages.value_or(0);
  is_exact_ &= loss.messages.has_value();
  lost_bytes_ += loss.bytes;
  if (loss.from && loss.to && *loss.to > *loss.from) lost_time_ += *loss.to - *loss.from;
}

}  // namespace kitbag
