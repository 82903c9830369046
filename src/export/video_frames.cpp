#include "export/video_frames.h"

#include <fmt/format.h>

#include "export/left_out.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/registry.h"
#include "pictures/video_format.h"

// Each channel has a decoder, from its first key frame on. After an error it is dropped, as what
// follows would be changes to a picture that it does not have; so frames are left out until the
// next key frame. Where the format changes, the decoder first gives what it still holds.

namespace kitbag {

void VideoFrames::decode(const Message& message, std::string_view named, ByteView data, Time time,
                         const OnVideoFrame& on_frame) {
  const std::uint32_t slot = message.channel->slot;
  if (streams_.size() <= slot) streams_.resize(slot + 1);
  Stream& stream = streams_[slot];
  std::string format = video_format(named);
  in_message(message, [&] {
    if (format.empty()) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("the format of the video \"{}\" is not known", escaped(named)));
    }
    if (message.data.size() > limits_.most_message_bytes) {
      throw Error(ErrorCode::limit, "the frame of the video is too large");
    }
    bool is_key = is_key_frame(format, data);
    if (stream.decoder && stream.format != format) {
      stream.decoder->flush(on_frame);
      stream.decoder.reset();
    }
    if (!stream.decoder && !is_key) {
      throw Error(ErrorCode::unsupported,
                  "the frame of the video is a change to a key frame that is not there");
    }
    if (!stream.decoder) {
      stream = {codec(format).create(limits_), format};
    }
    try {
      stream.decoder->decode(data, time, on_frame);
    } catch (...) {
      stream.decoder.reset();
      throw;
    }
  });
}

const VideoCodec& VideoFrames::codec(const std::string& format) const {
  try {
    if (const VideoCodec* known = session_.find_video_codec(format)) return *known;
  } catch (const Error& error) {
    // Without the plugin, other topics still have their pictures.
    if (error.code() != ErrorCode::not_found) throw;
    throw Error(ErrorCode::unsupported, error.message());
  }
  throw Error(ErrorCode::unsupported,
              fmt::format("there is no decoder for video in the format {}", format));
}

void VideoFrames::finish(const OnVideoFrame& on_frame) {
  for (Stream& stream : streams_) {
    if (stream.decoder) stream.decoder->flush(on_frame);
    stream.decoder.reset();
  }
}

}  // namespace kitbag
