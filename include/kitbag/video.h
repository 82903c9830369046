#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
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

// Video in messages, of which each is one frame of H.264, H.265, VP9 or AV1: CompressedVideo of
// Foxglove, FFMPEGPacket of ffmpeg_image_transport, and CompressedImage of ROS whose format says
// so. Only a key frame can be decoded by itself. Every other frame is a change to those before it,
// so a picture at a time takes all messages from the last key frame on.
//
//   VideoReader reader("/camera/video", session);
//   TimedPicture found = reader.picture_at(*bag, time, {.width = 640});
//
// picture_at() of kitbag/picture.h gives the same picture. A VideoReader remembers where it is: the
// pictures of times that go forward cost one frame each.
//
// The decoders and encoders are in a plugin (VideoCodec in kitbag/registry.h), which is loaded when
// the first video is decoded or encoded. encode_video.h makes videos of pictures on their way.

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

/// How a video is encoded.
struct VideoEncoding {
  std::uint32_t width = 0;   ///< of the pictures, in pixels
  std::uint32_t height = 0;  ///< likewise
  /// The quality: from 0, which loses nothing, to 51, the smallest. Ignored with bits_per_second.
  unsigned crf = 23;
  std::uint64_t bits_per_second = 0;  ///< on average; 0: as crf says
  std::string preset = "veryfast";    ///< of x264 and x265: from "ultrafast" to "veryslow"
  /// From a key frame to the next one, by the times of the pictures, at most.
  Duration key_interval = std::chrono::seconds(1);
  unsigned frames_a_key = 0;  ///< likewise, in frames; 0: any number

  bool operator==(const VideoEncoding&) const = default;
};

/// Encodes pictures of one size, each as one frame that refers to earlier ones only. One thread at
/// a time. After an Error it is of no more use.
class VideoEncoder {
 public:
  virtual ~VideoEncoder() = default;
  /// Returns the frame of the next picture, in the form of EncodedFrame::data. The first one is a
  /// key frame, and each key frame has the parameters of the stream with it. An odd width or height
  /// has one more in the video, which repeats the last one. Throws Error: invalid for a picture of
  /// another size, limit without memory, unsupported for what cannot be encoded.
  virtual std::vector<std::byte> encode(const Picture& picture, Time time) = 0;
};

/// Returns whether messages of the channel are frames of a video, by their type: CompressedVideo or
/// FFMPEGPacket of any package, in an encoding that can be decoded.
KITBAG_API bool has_video(const Channel& channel, const Session& session);

/// Returns whether messages of the channel may be frames of a video: those for which has_video(),
/// and CompressedImage of any package, where each message says what it is (video_frame_of()).
KITBAG_API bool may_have_video(const Channel& channel, const Session& session);

/// Returns whether the topic of the bag is a video: by the types of its channels or, if they leave
/// it open, by its first message, which is read. Throws Error (cancelled) on `wait.stop`.
KITBAG_API bool has_video(const Bag& bag, const std::string& topic, const Session& session,
                          const Wait& wait = {});

/// Returns whether a decoder can begin with this frame: it is decoded by itself, and has the
/// parameters of the stream with it. False for formats that are not known. `format` is "h264",
/// "h265" (or "hevc"), "vp9" or "av1", in any case, or an encoder of libav, such as "libx264" or
/// "hevc_nvenc"; what follows behind a ";" does not count.
KITBAG_API bool is_key_frame(std::string_view format, ByteView data);

/// One frame of a video as its message has it: nothing of it is decoded.
struct EncodedFrame {
  std::string format;  ///< "h264", "h265", "vp9" or "av1"
  std::vector<std::byte>
      data;  ///< H.264 and H.265: units of Annex B; AV1: of the low overhead form
};

/// Returns the frame in `message`, whose channel may_have_video(). Throws Error, with topic and
/// time: unsupported for messages without a frame and for formats that are not known; what is wrong
/// with the payload.
KITBAG_API EncodedFrame encoded_frame_of(const Message& message, const Session& session);

/// Returns the same, or nothing if the message is a picture: a CompressedImage whose format is that
/// of no video.
KITBAG_API std::optional<EncodedFrame> video_frame_of(const Message& message,
                                                      const Session& session);

/// What frames_before() has found.
struct FramesBefore {
  Batch frames = {};       ///< in the order of time, all flagged kState; empty: none are needed
  std::size_t topics = 0;  ///< whose frames these are
  /// Why the first frames of a topic cannot be decoded all the same, by topic.
  std::map<std::string, std::string> missing = {};
};

/// Returns the frames before `query.begin` that the first frames of the query need: for each topic
/// with a video whose first frame in the query is no key frame, those from the last key frame on.
/// They keep their own times. `channels` are those of the source that gives the query, and the
/// frames have their slots. `limits` count for each topic, and `most_bytes` for all of them
/// together: what is beyond is missing. A query without a begin, or with Order::reverse_time, needs
/// none. Throws Error (cancelled) on `wait.stop`, and what reading the bags throws.
KITBAG_API FramesBefore frames_before(const std::vector<BagPtr>& bags, const Query& query,
                                      const ChannelsPtr& channels, const Session& session,
                                      const VideoLimits& limits = {}, const Wait& wait = {});

/// Returns the frames that messages of `state` need, which are the last ones of channels of the bag
/// before `begin`: of each that is a frame and no key frame, those from the last key frame on, with
/// itself. If the bag has no key frame before it, all frames before `begin` are returned, since
/// another bag, which goes before it, may have their key frame. The rest is as for frames_before().
KITBAG_API FramesBefore frames_of_state(const BagPtr& bag, const Batch& state, Time begin,
                                        const ChannelsPtr& channels, const Session& session,
                                        const VideoLimits& limits = {}, const Wait& wait = {});

/// What read_from_key_frames() has given so far, in all its sources.
struct KeyFrameReport {
  std::uint64_t frames = 0;                         ///< from before the query
  std::map<std::string, std::string> missing = {};  ///< as in FramesBefore
};

/// Returns the source of read() (pipeline.h) with what frames_before() returns in front of it, so
/// that a cut, or a player that begins in the middle, can decode its first frame. `report` is
/// updated by this call; null: nobody wants to know. Throws as both do.
KITBAG_API std::unique_ptr<Source> read_from_key_frames(const std::vector<BagPtr>& bags,
                                                        const Query& query, KeyFrameReport* report,
                                                        const Session& session,
                                                        const Wait& wait = {});

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
