#include "video/encoded_topic.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>

#include "kitbag/describe.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/picture.h"
#include "kitbag/struct_writer.h"
#include "kitbag/transcode.h"
#include "pictures/picture_type.h"

// What viewers know is CompressedVideo of Foxglove, by its name; packages of ROS call it
// foxglove_msgs/CompressedVideo.
//
// An encoder begins anew after an error and with pictures of another size, since its next frames
// would be changes to one that is not in the topic or does not fit. A topic may have frames among
// its pictures. In the format that is wanted they pass as they are, and the encoder begins anew
// behind them, too.

namespace kitbag {
namespace {

template <bool kIsRos>
struct VideoMessage {
  Time timestamp{};
  std::string frame_id;
  std::vector<std::byte> data;
  std::string format;
};

}  // namespace

template <bool kIsRos>
struct Describe<VideoMessage<kIsRos>> {
  using Described = VideoMessage<kIsRos>;
  static constexpr std::string_view name =
      kIsRos ? "foxglove_msgs/CompressedVideo" : "foxglove.CompressedVideo";
  static constexpr std::tuple fields{
      Member{"timestamp", &Described::timestamp}, Member{"frame_id", &Described::frame_id},
      Member{"data", &Described::data}, Member{"format", &Described::format}};
};

namespace {

/// With what describes `from` beside its type.
ChannelPtr channel_of_video(const Channel& from, bool is_ros, const Session& session) {
  TypePtr type =
      is_ros ? described_type<VideoMessage<true>>() : described_type<VideoMessage<false>>();
  auto channel = std::make_shared<Channel>(*channel_for(from.topic, from.encoding, type, session));
  for (const auto& [key, value] : from.metadata) channel->metadata.try_emplace(key, value);
  channel->slot = from.slot;
  return channel;
}

}  // namespace

EncodedTopic::EncodedTopic(ChannelPtr from, const EncodedTopics& how, const VideoCodec& codec,
                           const Session& session)
    : from_(std::move(from)),
      how_(how),
      codec_(codec),
      session_(session),
      is_ros_(from_->encoding == "ros1" || from_->encoding == "cdr"),
      channel_(channel_of_video(*from_, is_ros_, session)),
      type_(type_of(*channel_, session)),
      payloads_(find_codec(session.registry(), from_->encoding)->encoder(type_, {})) {
  for (const char* path : {"header.stamp", "timestamp"}) stamps_.emplace_back(path, session);
  for (const char* path : {"header.frame_id", "frame_id"}) frame_ids_.emplace_back(path, session);
}

EncodedMessage EncodedTopic::encode(const Message& message, const Wait& wait) {
  EncodedMessage made;
  try {
    std::vector<std::byte> frame = frame_of(message, wait, made);
    Time stamp = first_of(stamps_, message, message.publish_time);
    std::string frame_id = first_of(frame_ids_, message, std::string());
    arena_.limit_for(frame.size());
    payloads_->begin(arena_);
    auto visit = [&](const auto& values) {
      describing::visit_described(*type_, values, *payloads_);
    };
    if (is_ros_) {
      visit(VideoMessage<true>{stamp, std::move(frame_id), std::move(frame), how_.format});
    } else {
      visit(VideoMessage<false>{stamp, std::move(frame_id), std::move(frame), how_.format});
    }
    ByteView payload = payloads_->end();
    made.payload.assign(payload.begin(), payload.end());
    arena_.release();
  } catch (const Error& error) {
    encoder_.reset();
    bool is_located = error.message().starts_with(escaped(message.channel->topic) + " at ");
    throw is_located ? error : located_in(message, error);
  } catch (...) {
    encoder_.reset();
    throw;
  }
  return made;
}

std::vector<std::byte> EncodedTopic::frame_of(const Message& message, const Wait& wait,
                                              EncodedMessage& made) {
  if (may_have_video(*message.channel, session_)) {
    if (auto frame = video_frame_of(message, session_)) {
      if (frame->format != how_.format) {
        throw Error(ErrorCode::unsupported, "the message is a frame in " + frame->format +
                                                ", which is not encoded once more");
      }
      encoder_.reset();
      return std::move(frame->data);
    }
  }
  PictureOptions options;
  options.most_pixels = VideoLimits().most_pixels;  // so that it can be decoded
  Picture picture = picture_of(message, options, session_, wait);
  if (!encoder_ || picture.width != width_ || picture.height != height_) {
    VideoEncoding encoding = how_.encoding;
    made.width = encoding.width = width_ = picture.width;
    made.height = encoding.height = height_ = picture.height;
    encoder_.reset();
    encoder_ = codec_.encode(encoding);
  }
  return encoder_->encode(picture, message.log_time);
}

/// The first of the fields that the message has.
template <class Value>
Value EncodedTopic::first_of(std::vector<FieldReader<Value>>& readers, const Message& message,
                             Value otherwise) {
  for (FieldReader<Value>& reader : readers) {
    try {
      return reader(message);
    } catch (const Error& error) {
      bool has_no_such = error.code() == ErrorCode::not_found || error.code() == ErrorCode::invalid;
      if (!has_no_such) throw;
    }
  }
  return otherwise;
}

}  // namespace kitbag
