#pragma once

#include <cstdint>
#include <memory>

#include "export/video/container.h"
#include "kitbag/export_messages.h"
#include "video/libav/picture_encoder.h"

namespace kitbag::libav {

/// An encoder of pictures of this size as H.264, which are shown at ticks of the container.
/// `is_streamed`: packets leave at once, and the work is done on the caller's thread. Throws Error
/// as PictureEncoder does.
std::unique_ptr<PictureEncoder> encoder_for(Container container, std::uint32_t width,
                                            std::uint32_t height, const VideoOptions& options,
                                            bool is_streamed);

}  // namespace kitbag::libav
