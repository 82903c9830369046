#pragma once

#include <string>

#include "pictures/image_message.h"

namespace kitbag {

/// Why the picture in a message should not become a frame of a video, which has 8 bits of a colour
/// and loses some: "16UC1 has more than 8 bits of a color". Empty: it may.
std::string reason_against_video(const ImageMessage& fields);

}  // namespace kitbag
