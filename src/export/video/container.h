#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "export/video/mux.h"
#include "export/video/output.h"
#include "kitbag/time.h"

namespace kitbag::libav {

/// Files that hold a video.
enum class Container { mp4, mkv };

/// How a container counts time.
struct Ticks {
  int per_second = 1;
  std::int64_t least = 1;           ///< between two frames
  std::int64_t most = INT64_MAX;    ///< between two frames
  std::int64_t between_stored = 0;  ///< the least from the time when one is decoded to the next
};
Ticks ticks_of(Container container);

/// What a file says of its video.
struct About {
  std::string topic;
  Time first_frame{};
};

/// One file with one video. After an Error it is of no more use.
class VideoFile {
 public:
  /// `output` has to outlive this. `is_streamed`: what is complete leaves at once, and nothing is
  /// written again. Throws Error.
  VideoFile(Container container, bool is_streamed, Output& output,
            const AVCodecParameters& parameters, const About& about);

  /// Takes the next packet, in the order of decoding; `pts` and `dts` are ticks of the container.
  void write(Packet packet);
  /// Writes what is left.
  void finish();

 private:
  void write_held(std::int64_t duration);
  void check(int result) const;

  Output& output_;
  Muxer muxer_;
  AVRational ticks_;
  bool is_streamed_;
  Packet held_;  ///< the last one, whose duration is not known yet
  std::int64_t duration_ = 0;
};

}  // namespace kitbag::libav
