#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/codec.h"
#include "kitbag/message.h"
#include "kitbag/session.h"
#include "pictures/image_message.h"

namespace kitbag {

/// One frame of a video, in the memory of its message.
struct FrameInMessage {
  ImageMessage fields;
  std::string format;  ///< as video_format()
  ByteView data;

  bool is_key() const;
};

/// The frame in `message`; nothing: it is a picture. Throws Error, with topic and time: unsupported
/// for messages without a frame, and formats that are not known; what is wrong with the payload.
std::optional<FrameInMessage> frame_in(const Message& message, Decoder& decoder);

/// The same of messages of any channels of one source, whose decoders it keeps. One thread.
class FramesInMessages {
 public:
  explicit FramesInMessages(Session session) : session_(std::move(session)) {}

  std::optional<FrameInMessage> frame_in(const Message& message);

 private:
  Session session_;
  std::vector<std::unique_ptr<Decoder>> decoders_;  ///< by slot
};

}  // namespace kitbag
