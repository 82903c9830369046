#pragma once

#include <string>
#include <string_view>

#include "kitbag/codec.h"
#include "kitbag/error.h"
#include "kitbag/message.h"
#include "kitbag/session.h"
#include "pictures/image_message.h"

namespace kitbag {

/// "Image" of "sensor_msgs/msg/Image", "sensor_msgs::msg::dds_::Image_" and "foxglove.Image".
std::string_view last_word(std::string_view type);

inline bool is_named_as_video(const Channel& channel) {
  std::string_view word = last_word(channel.type());
  return word == "CompressedVideo" || word == "FFMPEGPacket";
}

/// The format of the frame that these fields of a message of `channel` are, as the message has it;
/// null: they are no frame of a video.
const std::string* format_of_frame(const Channel& channel, const ImageMessage& fields);

/// The fields of `message`, which must outlive them. Throws Error, with topic and time.
ImageMessage image_fields(const Message& message, Decoder& decoder);

/// `error` about what is in the message, with topic and time.
Error located_in(const Message& message, const Error& error);

/// Throws Error: why the topic has no pictures or no video. Lists the topics that have.
[[noreturn]] void refuse_topic(const std::string& topic, const Channels& channels,
                               const Session& session);

}  // namespace kitbag
