#include "pictures/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kitbag/error.h"

// Each pixel of the original is looked at once, whatever the scale is, and a row of sums is all
// that is held. Averages of areas keep thin lines, which picking of pixels loses, and do not ring
// as filters with negative weights do. A sum is at most 255 times the number of pixels of the
// original, which check_size() has limited.

namespace kitbag {
namespace {

/// Rows become shorter first, then they are added up. All sums are exact: a pixel of `from` is `to`
/// units wide and one of the result `from` units, so that weights are whole numbers.
class AreaAverage {
 public:
  AreaAverage(PictureSize from, PictureSize to, std::uint32_t channels)
      : from_(from),
        row_(std::size_t{to.width} * channels),
        sums_(row_.size()),
        left_(from.height) {
    picture_.width = to.width;
    picture_.height = to.height;
    picture_.channels = channels;
    picture_.pixels.reserve(row_.size() * to.height);
  }

  void add(std::span<const std::byte> row) {
    shorten(row);
    for (std::uint64_t weight = picture_.height; weight > 0;) {
      std::uint64_t part = std::min(weight, left_);
      for (std::size_t i = 0; i < row_.size(); ++i) sums_[i] += part * row_[i];
      weight -= part;
      left_ -= part;
      if (left_ == 0) finish_row();
    }
  }

  Picture take() { return std::move(picture_); }

 private:
  /// Into row_, as sums of from_.width units.
  void shorten(std::span<const std::byte> row) {
    std::fill(row_.begin(), row_.end(), 0);
    const std::size_t channels = picture_.channels;
    std::uint64_t left = from_.width;
    std::uint64_t* sum = row_.data();
    for (const std::byte* pixel = row.data(); pixel != row.data() + row.size(); pixel += channels) {
      for (std::uint64_t weight = picture_.width; weight > 0;) {
        std::uint64_t part = std::min(weight, left);
        for (std::size_t c = 0; c < channels; ++c) {
          sum[c] += part * std::to_integer<std::uint64_t>(pixel[c]);
        }
        weight -= part;
        left -= part;
        if (left > 0) continue;
        left = from_.width;
        sum += channels;
      }
    }
  }

  void finish_row() {
    const std::uint64_t area = std::uint64_t{from_.width} * from_.height;
    for (std::uint64_t& sum : sums_) {
      picture_.pixels.push_back(static_cast<std::byte>((sum + area / 2) / area));
      sum = 0;
    }
    left_ = from_.height;
  }

  PictureSize from_;
  std::vector<std::uint64_t> row_;
  std::vector<std::uint64_t> sums_;
  std::uint64_t left_;  ///< what the row of the result that is being made still needs
  Picture picture_;
};

Picture whole_picture(PictureRows& rows, const Wait& wait) {
  Picture picture;
  picture.width = rows.size().width;
  picture.height = rows.size().height;
  picture.channels = rows.channels();
  const std::size_t bytes = std::size_t{picture.width} * picture.channels;
  picture.pixels.resize(bytes * picture.height);
  for (std::uint32_t y = 0; y < picture.height; ++y) {
    throw_if_stopped(wait);
    rows.next(std::span(picture.pixels).subspan(y * bytes, bytes));
  }
  return picture;
}

std::uint32_t in_proportion(std::uint32_t length, std::uint32_t to, std::uint32_t from) {
  std::uint64_t scaled = (std::uint64_t{length} * to + from / 2) / from;
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(scaled, 1));
}

class RowsInMemory final : public PictureRows {
 public:
  explicit RowsInMemory(const Picture& whole) : whole_(whole), left_(whole.pixels) {}

  PictureSize size() const override { return {whole_.width, whole_.height}; }
  std::uint32_t channels() const override { return whole_.channels; }
  void next(std::span<std::byte> row) override {
    std::copy_n(left_.begin(), row.size(), row.begin());
    left_ = left_.subspan(row.size());
  }

 private:
  const Picture& whole_;
  std::span<const std::byte> left_;
};

}  // namespace

void check_size(std::uint64_t width, std::uint64_t height, std::uint64_t most_pixels) {
  if (width == 0 || height == 0) {
    throw Error(ErrorCode::corrupt, fmt::format("the picture is empty: {} x {}", width, height));
  }
  if (width > UINT32_MAX || height > UINT32_MAX || width > most_pixels / height) {
    throw Error(ErrorCode::limit, fmt::format("a picture of {} x {} is too large; at most {} "
                                              "pixels are read",
                                              width, height, most_pixels));
  }
}

PictureSize scaled_size(PictureSize whole, const PictureOptions& options) {
  std::uint32_t width = options.width > 0 ? std::min(options.width, whole.width) : whole.width;
  std::uint32_t height = options.height > 0 ? std::min(options.height, whole.height) : whole.height;
  // The direction that has to become shorter by the larger factor decides.
  bool is_by_width = std::uint64_t{width} * whole.height <= std::uint64_t{height} * whole.width;
  if (is_by_width) return {width, in_proportion(whole.height, width, whole.width)};
  return {in_proportion(whole.width, height, whole.height), height};
}

Picture scaled_picture(PictureRows& rows, PictureSize to, const Wait& wait) {
  if (rows.size() == to) return whole_picture(rows, wait);
  AreaAverage average(rows.size(), to, rows.channels());
  std::vector<std::byte> row(std::size_t{rows.size().width} * rows.channels());
  for (std::uint32_t y = 0; y < rows.size().height; ++y) {
    throw_if_stopped(wait);
    rows.next(row);
    average.add(row);
  }
  return average.take();
}

Picture scaled_picture(const Picture& whole, const PictureOptions& options, const Wait& wait) {
  RowsInMemory rows(whole);
  return scaled_picture(rows, scaled_size(rows.size(), options), wait);
}

}  // namespace kitbag
