#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/export.h"
#include "kitbag/message.h"
#include "kitbag/session.h"
#include "kitbag/time.h"

// Messages with images as pictures in memory, scaled down while they are read, and as JPEG or PNG.
//
//   TimedPicture found = picture_at(*bag, "/camera/image", time, {.width = 160}, session);
//   std::vector<std::byte> file = encode_picture(found.picture, PictureFormat::jpeg);
//
// These messages have a picture, in every encoding that can be decoded: sensor_msgs/Image and
// foxglove.RawImage with the encodings of ROS, sensor_msgs/CompressedImage and
// foxglove.CompressedImage with a JPEG or PNG. docs/pictures.md describes how values become
// colours. A message of a video has none: it is a change to others.

namespace kitbag {

/// A picture in memory.
struct Picture {
  std::uint32_t width = 0;     ///< in pixels
  std::uint32_t height = 0;    ///< in pixels
  std::uint32_t channels = 3;  ///< 1: gray; 3: red, green and blue. A byte each
  /// Row after row, from the top, without padding.
  std::vector<std::byte> pixels = {};
};

/// How large a picture may be.
struct PictureOptions {
  /// The most pixels of the result from left to right and from top to bottom; 0: no limit. A larger
  /// picture is scaled down, as a whole, by the averages of areas. None is scaled up.
  std::uint32_t width = 0;
  std::uint32_t height = 0;  ///< see width
  /// The most pixels that a message may claim to have.
  std::uint64_t most_pixels = 64 << 20;
};

/// Returns whether messages of the channel have a picture, by their type: Image, RawImage or
/// CompressedImage of any package, in an encoding that can be decoded.
KITBAG_API bool has_pictures(const Channel& channel, const Session& session);

/// Returns the picture in `message`. Throws Error, with topic and time: unsupported for what has no
/// picture and for encodings that are not known; corrupt and truncated for a picture that is
/// damaged, even if a part of it could be shown; limit for one that is too large; cancelled on
/// `wait.stop`.
KITBAG_API Picture picture_of(const Message& message, const PictureOptions& options,
                              const Session& session, const Wait& wait = {});

/// A picture, and the log time of its message.
struct TimedPicture {
  Time log_time{};  ///< of the message
  Picture picture;  ///< what it shows
};

/// Returns the last picture of the topic at or before `time`, by log time; if there is none, the
/// first one after it. Throws Error: not_found if the bag has no such topic, with the names of
/// similar ones, or no message of it; invalid if the topic has no pictures; and as picture_of()
/// does.
KITBAG_API TimedPicture picture_at(const Bag& bag, const std::string& topic, Time time,
                                   const PictureOptions& options, const Session& session,
                                   const Wait& wait = {});

/// A format of files.
enum class PictureFormat {
  jpeg,  ///< smaller; it has small errors, and at most 65,500 pixels in either direction
  png,   ///< exact
};

/// Returns the picture as a file. Throws Error: invalid for a picture that contradicts itself,
/// limit for one that is too large for the format.
KITBAG_API std::vector<std::byte> encode_picture(const Picture& picture, PictureFormat format);

}  // namespace kitbag
