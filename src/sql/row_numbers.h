#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kitbag::sql {

/// Numbers the rows of a table by what they are, not by where a scan began: the time, the bag, the
/// channel, and which one it is among the rows that have all of these in common. These rows must
/// come one after the other, all of them or none.
class RowNumbers {
 public:
  /// `bags` and `channels`: how many there are.
  RowNumbers(std::size_t bags, std::size_t channels) : bags_(bags), channels_(channels) {}

  void start();
  /// Goes to the next row. `channel` < channels, `bag` < bags.
  void next(std::size_t bag, std::size_t channel, std::int64_t time_ns);
  std::int64_t number() const;

 private:
  std::size_t bags_;
  std::size_t channels_;
  std::size_t bag_ = 0;
  std::int64_t time_ns_ = 0;
  /// Channels, and their rows of that time so far: few, and made for every row.
  std::vector<std::pair<std::size_t, std::uint64_t>> counts_;
  std::uint64_t index_ = 0;  ///< of the row among those of that time
};

}  // namespace kitbag::sql
