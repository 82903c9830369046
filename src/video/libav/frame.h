#pragma once

#include "kitbag/video.h"
#include "video/libav/av.h"

namespace kitbag::libav {

/// A frame whose colours are read when they are asked for.
class DecodedFrame final : public VideoFrame {
 public:
  /// Its `pts` is the time in ns.
  explicit DecodedFrame(Frame frame) : frame_(std::move(frame)) {}

  Time time() const override { return from_ns(frame_->pts); }
  Picture picture() const override;

 private:
  Frame frame_;
};

}  // namespace kitbag::libav
