#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/series.h"

namespace kitbag::server {

/// A series of a bag, and what it leaves out.
struct ReadSeries {
  Series series = {};
  std::vector<std::string> damage = {};  ///< sentences about what is left out
};
using ReadSeriesPtr = std::shared_ptr<const ReadSeries>;

/// More is no such file.
inline constexpr std::size_t kMostSeriesFileBytes = 65 << 20;

/// The content of a file in the cache: compressed, with a checksum. Absent: it would be too large.
std::optional<std::string> series_file(const ReadSeries& series);
/// What is in such a file; absent if it is damaged, or was made otherwise.
std::optional<ReadSeries> parse_series_file(std::string_view bytes);

}  // namespace kitbag::server
