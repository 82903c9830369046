#include "export/lerobot/statistics.h"

#include <algorithm>
#include <cmath>

// What LeRobot computes of a dataset. A variance is that of the rows themselves, divided by their
// number; quantiles lie between two values; colours are from 0 to 1. The numbers of an episode are
// held to its end, because quantiles need them in order. Of pictures only a count of each of the
// 256 values is held.

namespace kitbag::lerobot {
namespace {

/// A quantile between the values `at(i)`, which are in order, as NumPy finds it.
template <class At>
double quantile(std::uint64_t count, double part, At at) {
  double place = part * static_cast<double>(count - 1);
  auto below = static_cast<std::uint64_t>(place);
  double low = at(below);
  if (below + 1 >= count) return low;
  return low + (at(below + 1) - low) * (place - static_cast<double>(below));
}

/// As NumPy: NaN if one of the two is, whichever that is.
double least_of(double a, double b) {
  return std::isnan(a) || a < b ? a : b;
}
double most_of(double a, double b) {
  return std::isnan(a) || a > b ? a : b;
}

}  // namespace

void Numbers::add(const std::vector<double>& row) {
  columns_.resize(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) columns_[i].push_back(row[i]);
}

Statistics Numbers::take() {
  Statistics all;
  for (std::vector<double>& values : columns_) {
    all.count = values.size();
    auto count = static_cast<double>(values.size());
    double sum = 0;
    for (double value : values) sum += value;
    double mean = sum / count;
    double squares = 0;
    for (double value : values) squares += (value - mean) * (value - mean);
    bool has_nan =
        std::any_of(values.begin(), values.end(), [](double x) { return std::isnan(x); });
    if (!has_nan) std::sort(values.begin(), values.end());
    all.mean.push_back(mean);
    all.std.push_back(std::sqrt(squares / count));
    all.min.push_back(has_nan ? NAN : values.front());
    all.max.push_back(has_nan ? NAN : values.back());
    for (std::size_t q = 0; q < kQuantiles.size(); ++q) {
      all.quantiles[q].push_back(
          has_nan ? NAN
                  : quantile(values.size(), kQuantiles[q], [&](auto i) { return values[i]; }));
    }
  }
  columns_.clear();
  return all;
}

void Colours::add(const Picture& picture) {
  // A side of 300 pixels or more becomes about 150.
  std::uint32_t step = std::max(picture.width, picture.height) < 300
                           ? 1
                           : std::max(picture.width, picture.height) / 150;
  for (std::uint32_t y = 0; y < picture.height; y += step) {
    const std::byte* row = picture.pixels.data() + std::size_t{y} * picture.width * 3;
    for (std::uint32_t x = 0; x < picture.width; x += step) {
      for (std::size_t colour = 0; colour < 3; ++colour) {
        ++counts_[colour][std::to_integer<std::size_t>(row[std::size_t{x} * 3 + colour])];
      }
    }
  }
  ++pictures_;
}

Statistics Colours::take() {
  Statistics all;
  all.count = pictures_;
  for (auto& counts : counts_) {
    std::uint64_t pixels = 0;
    double sum = 0;
    double squares = 0;
    for (std::size_t value = 0; value < counts.size(); ++value) {
      double scaled = static_cast<double>(value) / 255;
      auto count = static_cast<double>(counts[value]);
      pixels += counts[value];
      sum += count * scaled;
      squares += count * scaled * scaled;
    }
    auto count = static_cast<double>(pixels);
    double mean = sum / count;
    auto at = [&](std::uint64_t i) {
      std::size_t value = 0;
      for (std::uint64_t before = counts[0]; before <= i; before += counts[value]) ++value;
      return static_cast<double>(value) / 255;
    };
    all.min.push_back(at(0));
    all.max.push_back(at(pixels - 1));
    all.mean.push_back(mean);
    // A picture of one colour may have a little less than 0, by rounding.
    all.std.push_back(std::sqrt(std::max(0.0, squares / count - mean * mean)));
    for (std::size_t q = 0; q < kQuantiles.size(); ++q) {
      all.quantiles[q].push_back(quantile(pixels, kQuantiles[q], at));
    }
    counts.fill(0);
  }
  pictures_ = 0;
  return all;
}

Statistics pooled(const std::vector<const Statistics*>& episodes) {
  Statistics all = *episodes.front();
  std::size_t values = all.mean.size();
  all.count = 0;
  for (const Statistics* each : episodes) all.count += each->count;
  auto count = static_cast<double>(all.count);
  for (std::size_t i = 0; i < values; ++i) {
    double sum = 0;
    for (const Statistics* each : episodes) sum += static_cast<double>(each->count) * each->mean[i];
    double mean = sum / count;
    double squares = 0;
    for (const Statistics* each : episodes) {
      // The variance of all is that within the episodes and that between their means.
      double apart = each->mean[i] - mean;
      squares += static_cast<double>(each->count) * (each->std[i] * each->std[i] + apart * apart);
      all.min[i] = least_of(all.min[i], each->min[i]);
      all.max[i] = most_of(all.max[i], each->max[i]);
      for (std::size_t q = 0; q < kQuantiles.size(); ++q) {
        double& bound = all.quantiles[q][i];
        double own = each->quantiles[q][i];
        bound = kQuantiles[q] <= 0.5 ? least_of(bound, own) : most_of(bound, own);
      }
    }
    all.mean[i] = mean;
    all.std[i] = std::sqrt(squares / count);
  }
  return all;
}

}  // namespace kitbag::lerobot
