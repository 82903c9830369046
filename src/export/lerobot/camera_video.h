#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kitbag/exporter.h"
#include "kitbag/picture.h"

namespace kitbag::lerobot {

/// A file of a video that is larger gets no more episodes.
inline constexpr std::uint64_t kVideoFileBytes = 200 << 20;

/// Where the frames of an episode are.
struct VideoSpan {
  std::uint64_t file = 0;   ///< of the camera, from 0
  std::uint64_t begin = 0;  ///< the first frame, of those in the file
  std::uint64_t end = 0;    ///< behind the last one
};

/// The pictures of a camera as MP4, one behind the other at a constant rate. An episode is in one
/// file.
class CameraVideo {
 public:
  /// `job` has to outlive it. Throws Error (not_found) without the plugin that writes videos.
  CameraVideo(std::string name, unsigned fps, const ExportJob& job);

  /// Begins an episode.
  void begin();
  /// Adds its next picture, in three colours, which is that of the robot at `time`.
  void add(const Picture& picture, Time time);
  /// Where the episode is.
  VideoSpan end() const { return span_; }
  /// Completes the files. Returns how many there are, and their size.
  Exported finish();

 private:
  void open(Time time);
  void close();

  std::string name_;
  unsigned fps_;
  const ExportJob& job_;
  const ExportFormat& mp4_;
  ExportRequest request_;
  ChannelsPtr channels_;
  std::unique_ptr<WriteFile> file_;
  std::unique_ptr<TopicExport> video_;
  std::vector<std::byte> message_;
  Time start_{};  ///< of the file
  VideoSpan span_;
  Exported written_{.topic = {}, .path = {}, .files = 0};
};

/// The frame or row that is `count` behind `start`, to the nanosecond whatever 1 / fps is.
Time time_of_row(Time start, std::uint64_t count, unsigned fps);

/// The size of a video of pictures with that size: an odd one has one more.
inline std::uint32_t video_size(std::uint32_t size) {
  return size + size % 2;
}

}  // namespace kitbag::lerobot
