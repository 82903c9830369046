#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/bytes.h"
#include "kitbag/export.h"
#include "kitbag/message.h"
#include "kitbag/picture.h"
#include "kitbag/session.h"
#include "kitbag/time.h"

// Video in messages: foxglove.CompressedVideo, of which each message is one frame of H.264, H.265,
// VP9 or AV1. Only a key frame can be decoded by itself. Every other frame is a change to those
// before it, so a picture at a time takes all messages from the last key frame on.
//
//   VideoReader reader("/camera/video", session);
//   TimedPicture found = reader.picture_at(*bag, time, {.width = 640});
//
// picture_at() of kitbag/picture.h gives the same picture. A VideoReader remembers where it is: the
// pictures of times that go forward cost one frame each.
//
// The decoders are in a plugin (VideoCodec in kitbag/registry.h), which is loaded when the first
// video is decoded.

namespace kitbag {

/// What decoding a video may take. Streams come from strangers, and a few bytes of one can ask for
/// very large frames.
struct VideoLimits {
  std::uint64_t most_pixels = 16 << 20;         ///< of a frame
  std::uint64_t most_frame_bytes = 256 << 20;   ///< of all decoded frames that a decoder holds
  std::uint64_t most_message_bytes = 64 << 20;  ///< of one message
  std::uint64_t most_messages = 1000;           ///< from a key frame to the frame that is wanted
  std::uint64_t most_bytes = 256 << 20;         ///< of these messages
};

/// A frame that was decoded. It counts among those that its decoder holds. One thread at a time.
class VideoFrame {
 public:
  virtual ~VideoFrame() = default;
  /// The time that VideoDecoder::decode() was called with.
  virtual Time time() const = 0;
  /// Returns the whole frame in red, green and blue. Throws Error.
  virtual Picture picture() const = 0;
};

/// Receives a frame.
using OnVideoFrame = std::function<void(std::unique_ptr<const VideoFrame> frame)>;

/// Decodes one stream. One thread at a time. After an Error it is of no more use.
class VideoDecoder {
 public:
  virtual ~VideoDecoder() = default;
  /// Decodes the next frame; the first one has to be a key frame. Calls `on_frame` for each frame
  /// that is complete: mostly this one, none if the decoder waits for the frames after it. Throws
  /// Error: corrupt for what cannot be decoded, limit for what takes more than VideoLimits allow.
  virtual void decode(ByteView data, Time time, const OnVideoFrame& on_frame) = 0;
  /// Gives the frames that the decoder has held back. A key frame has to come next. Throws as
  /// decode() does.
  virtual void flush(const OnVideoFrame& on_frame) = 0;
};

/// Returns whether messages of the channel are frames of a video, by their type: CompressedVideo of
/// any package, in an encoding that can be decoded.
KITBAG_API bool has_video(const Channel& channel, const Session& session);

/// Returns whether a decoder can begin with this frame: it is decoded by itself, and has the
/// parameters of the stream with it. False for formats that are not known. `format` is "h264",
/// "h265" (or "hevc"), "vp9" or "av1", in any case.
KITBAG_API bool is_key_frame(std::string_view format, ByteView data);

/// One frame of a video as its message has it: nothing of it is decoded.
struct EncodedFrame {
  std::string format;  ///< "h264", "h265", "vp9" or "av1"
  std::vector<std::byte>
      data;  ///< H.264 and H.265: units of Annex B; AV1: of the low overhead form
};

/// Returns the frame in `message`, whose channel has_video(). Throws Error, with topic and time:
/// unsupported for messages without a frame and for formats that are not known; what is wrong with
/// the payload.
KITBAG_API EncodedFrame encoded_frame_of(const Message& message, const Session& session);

/// Gives pictures of a topic with a video at one time after the other. While the times go forward,
/// only the messages in between are decoded. One thread at a time.
class KITBAG_API VideoReader {
 public:
  /// `topic` is the one that pictures are taken from.
  VideoReader(std::string topic, const Session& session, const VideoLimits& limits = {});
  ~VideoReader();
  /// A moved-from reader can only be destroyed or assigned to.
  VideoReader(VideoReader&&) noexcept;
  VideoReader& operator=(VideoReader&&) noexcept;

  /// Returns the last frame at or before `time`, by log time; if there is none, the first key frame
  /// after it. `bag` is the same each time, or has grown since. Throws Error: not_found if the bag
  /// has no such topic, no message of it, or no key frame before the frame that is wanted, and if
  /// the plugin with the decoders was not built; invalid if the topic has no video; unsupported for
  /// formats that are not known; corrupt for a stream that is damaged; limit for what takes more
  /// than VideoLimits allow; cancelled on `wait.stop`.
  TimedPicture picture_at(const Bag& bag, Time time, const PictureOptions& options,
                          const Wait& wait = {});

  /// Returns the log time of the last message that was decoded; absent: none was, and any time
  /// costs the same.
  std::optional<Time> position() const;

 private:
  class Walk;
  std::unique_ptr<Walk> walk_;
};

}  // namespace kitbag
