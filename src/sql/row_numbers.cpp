#include "sql/row_numbers.h"

#include <algorithm>
#include <bit>

// SQLite evaluates `a OR b` as two scans and recognizes rows of the second by their numbers. The
// scans may read different ranges, so the position in a scan is of no use: the number must follow
// from the row alone. Bags have no number of a message that every format gives, hence time, bag and
// channel, and the position among equals.
//
//   63                                   0
//   index, its bits in reverse -->   <-- time in nanoseconds
//
// The index is almost always zero or small, so its reversed bits stand at the top, where the times
// of one set of bags do not differ.

namespace kitbag::sql {

namespace {

/// The bits in the opposite order, so that small numbers take the highest bits.
std::uint64_t reversed(std::uint64_t value) {
  std::uint64_t result = 0;
  for (int i = 0; value != 0; ++i, value >>= 1) result |= (value & 1) << (63 - i);
  return result;
}

}  // namespace

void RowNumbers::start() {
  counts_.clear();
}

void RowNumbers::next(std::size_t bag, std::size_t channel, std::int64_t time_ns) {
  if (bag != bag_ || time_ns != time_ns_) counts_.clear();
  bag_ = bag;
  time_ns_ = time_ns;
  auto known = std::find_if(counts_.begin(), counts_.end(),
                            [&](const auto& count) { return count.first == channel; });
  if (known == counts_.end()) known = counts_.insert(known, {channel, 0});
  index_ = (known->second++ * channels_ + channel) * bags_ + bag;
}

std::int64_t RowNumbers::number() const {
  // Times differ in their low bits, and the index is small: their bits rarely meet, and two rows
  // have one number only if the times are exactly so far apart as the bits that do say.
  return std::bit_cast<std::int64_t>(std::bit_cast<std::uint64_t>(time_ns_) ^ reversed(index_));
}

}  // namespace kitbag::sql
