#include "pictures/frame_in_message.h"

#include <fmt/format.h>

#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/transcode.h"
#include "kitbag/video.h"
#include "pictures/picture_type.h"
#include "pictures/video_format.h"

namespace kitbag {

bool FrameInMessage::is_key() const {
  return is_key_frame(format, data);
}

std::optional<FrameInMessage> frame_in(const Message& message, Decoder& decoder) {
  FrameInMessage frame{image_fields(message, decoder), {}, {}};
  const std::string* format = format_of_frame(*message.channel, frame.fields);
  if (!format && frame.fields.is_compressed()) return std::nullopt;
  try {
    if (!format) {
      throw Error(ErrorCode::unsupported,
                  "the message has no frame of a video, which has the fields format and data, or "
                  "encoding and data");
    }
    frame.format = video_format(*format);
    if (frame.format.empty()) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("the format of the video \"{}\" is not known; known formats: h264, "
                              "h265, vp9, av1",
                              escaped(*format)));
    }
  } catch (const Error& error) {
    throw located_in(message, error);
  }
  frame.data = *frame.fields.data;
  return frame;
}

std::optional<FrameInMessage> FramesInMessages::frame_in(const Message& message) {
  const Channel& channel = *message.channel;
  if (decoders_.size() <= channel.slot) decoders_.resize(channel.slot + 1);
  auto& decoder = decoders_[channel.slot];
  if (!decoder) decoder = decoder_of(channel, session_);
  return kitbag::frame_in(message, *decoder);
}

std::optional<EncodedFrame> video_frame_of(const Message& message, const Session& session) {
  auto decoder = decoder_of(*message.channel, session);
  auto frame = frame_in(message, *decoder);
  if (!frame) return std::nullopt;
  return EncodedFrame{std::move(frame->format), {frame->data.begin(), frame->data.end()}};
}

EncodedFrame encoded_frame_of(const Message& message, const Session& session) {
  if (auto frame = video_frame_of(message, session)) return std::move(*frame);
  throw located_in(
      message, Error(ErrorCode::unsupported, "the message is a picture, and no frame of a video"));
}

}  // namespace kitbag
