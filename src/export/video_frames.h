#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kitbag/message.h"
#include "kitbag/registry.h"
#include "kitbag/session.h"
#include "kitbag/video.h"

namespace kitbag {

/// Decodes the videos of one topic as its messages come, a stream for each channel. One thread.
class VideoFrames {
 public:
  explicit VideoFrames(Session session) : session_(std::move(session)) {}

  /// Whether the next frame of the channel has to be a key frame.
  bool needs_key_frame(const Channel& channel) const {
    return streams_.size() <= channel.slot || !streams_[channel.slot].decoder;
  }
  /// Decodes the frame `data` of a message, whose format is as the message says it; `time` is that
  /// of the frame, which may come with a later message. Throws
  /// Error, with topic and time: as VideoDecoder; unsupported for frames without their key frame,
  /// for formats that are not known, and if the plugin was not built. After an Error the
  /// stream goes on at the next key frame.
  void decode(const Message& message, std::string_view format, ByteView data, Time time,
              const OnVideoFrame& on_frame);
  /// Gives the frames that were held back.
  void finish(const OnVideoFrame& on_frame);

 private:
  struct Stream {
    std::unique_ptr<VideoDecoder> decoder;  ///< null: waits for a key frame
    std::string format;
  };

  const VideoCodec& codec(const std::string& format) const;

  Session session_;
  VideoLimits limits_;
  std::vector<Stream> streams_;  ///< by slot
};

}  // namespace kitbag
