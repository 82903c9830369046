#pragma once

#include <memory>
#include <optional>
#include <string>

#include "export/video/container.h"
#include "export/video/frame_times.h"
#include "export/video/output.h"
#include "kitbag/exporter.h"

namespace kitbag::libav {

/// Where the files of a topic go, one after the other.
class VideoSink {
 public:
  virtual ~VideoSink() = default;
  /// Whether what is written leaves at once, to somebody who waits.
  virtual bool is_streamed() const = 0;
  /// Of a picture.
  virtual std::uint64_t most_pixels() const = 0;
  /// Begins a file. Returns false if there was one and this cannot have several.
  virtual bool begin(const AVCodecParameters& parameters, const About& about) = 0;
  /// Completes the file.
  virtual void end() = 0;

  /// Null: no file has begun.
  virtual VideoFile* file() = 0;
  virtual FrameTimes& times() = 0;
  /// What was written, without the topic.
  virtual Exported written() const = 0;
};

/// "camera__image.mp4", "camera__image.2.mp4" and so on in a folder, each with a table of the times
/// of its frames: "camera__image.times.csv". `folder` has to outlive it.
std::unique_ptr<VideoSink> video_files(const std::string& topic, Container container,
                                       ExportFolder& folder);

/// One file as bytes that can be sent at once.
std::unique_ptr<VideoSink> video_stream(Container container, BytesOut out);

/// One file, which has to outlive it.
std::unique_ptr<VideoSink> video_file(Container container, WriteFile& file);

}  // namespace kitbag::libav
