#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/time.h"
#include "pictures/image_message.h"
#include "pictures/rows.h"

namespace kitbag {

/// The picture of a message as a file.
struct ImageFile {
  std::string_view extension;      ///< ".jpg" or ".png"
  PictureSize size;                ///< in pixels
  std::string encoding;            ///< as the message says: "bgr8"; of a compressed one its format
  ByteView in_message = {};        ///< the file, if the message has it
  std::vector<std::byte> made{};   ///< otherwise
  std::uint64_t far_pixels = 0;    ///< as ExactPng
  bool is_in_millimetres = false;  ///< it was in metres

  /// Returns the content of the file.
  ByteView bytes() const { return in_message.empty() ? ByteView(made) : in_message; }
};

/// Returns the picture in `fields`, which must outlive it: a JPEG or PNG as it is, once its frame
/// was found complete, and a raw image as exact_png(). Throws Error: as exact_png(); truncated for
/// a JPEG or PNG that ends early; unsupported for other compressed pictures.
ImageFile image_file(const ImageMessage& fields, std::uint64_t most_pixels, const Wait& wait);

}  // namespace kitbag
