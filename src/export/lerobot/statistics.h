#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kitbag/picture.h"

namespace kitbag::lerobot {

inline constexpr std::array<double, 5> kQuantiles = {0.01, 0.10, 0.50, 0.90, 0.99};
inline constexpr std::array<std::string_view, 5> kQuantileNames = {"q01", "q10", "q50", "q90",
                                                                   "q99"};

/// Of a feature: a value for each of its numbers, or for each colour of a camera.
struct Statistics {
  std::vector<double> min = {};
  std::vector<double> max = {};
  std::vector<double> mean = {};
  std::vector<double> std = {};  ///< of the population
  std::array<std::vector<double>, kQuantiles.size()> quantiles = {};
  std::uint64_t count = 0;  ///< rows
};

/// The rows of an episode, of a feature.
class Numbers {
 public:
  void add(const std::vector<double>& row);
  /// Those of all rows, and forgets them.
  Statistics take();

 private:
  std::vector<std::vector<double>> columns_;
};

/// The pictures of an episode. Large ones count every n-th pixel, as LeRobot does.
class Colours {
 public:
  /// A picture with three channels.
  void add(const Picture& picture);
  /// Those of all pictures, from 0 to 1, and forgets them.
  Statistics take();

 private:
  std::array<std::array<std::uint64_t, 256>, 3> counts_{};
  std::uint64_t pictures_ = 0;
};

/// Those of several episodes: of quantiles the bounds, as LeRobot has them.
Statistics pooled(const std::vector<const Statistics*>& episodes);

}  // namespace kitbag::lerobot
