#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kitbag/bytes.h"
#include "kitbag/picture.h"
#include "kitbag/time.h"

// Every source of a picture gives it row by row, so that a thumbnail of a large picture takes the
// memory of a row, not that of the picture.

namespace kitbag {

struct PictureSize {
  std::uint32_t width = 0;
  std::uint32_t height = 0;

  bool operator==(const PictureSize&) const = default;
};

/// A picture that is being read, from the top. One thread.
class PictureRows {
 public:
  virtual ~PictureRows() = default;
  /// The size of the rows that next() gives.
  virtual PictureSize size() const = 0;
  virtual std::uint32_t channels() const = 0;  ///< as in Picture
  /// Reads the next row; `row` has width * channels bytes. Throws Error.
  virtual void next(std::span<std::byte> row) = 0;
};

/// Throws Error: corrupt if there is nothing to see, limit if there are more pixels than allowed.
void check_size(std::uint64_t width, std::uint64_t height, std::uint64_t most_pixels);

/// The size that a picture of the size `whole` gets.
PictureSize scaled_size(PictureSize whole, const PictureOptions& options);

/// A picture in memory, scaled down as `options` say.
Picture scaled_picture(const Picture& whole, const PictureOptions& options, const Wait& wait);

/// Reads all rows into a picture of the size `to`, which is not larger than theirs: each pixel is
/// the average of the area that it covers.
Picture scaled_picture(PictureRows& rows, PictureSize to, const Wait& wait);

}  // namespace kitbag
