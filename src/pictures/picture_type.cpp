#include "pictures/picture_type.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include "kitbag/escape.h"
#include "kitbag/picture.h"
#include "kitbag/text.h"
#include "kitbag/transcode.h"
#include "kitbag/video.h"
#include "pictures/video_format.h"

// Which messages have a picture or are frames of a video is known by the last word of their type:
// there are many packages with an Image, and all of them have the fields of sensor_msgs or
// foxglove. A CompressedImage may be either, which its field `format` says.

namespace kitbag {
namespace {

constexpr std::size_t kMostNames = 3;
constexpr std::string_view kEither = "CompressedImage";

bool is_named_as_picture(const Channel& channel) {
  std::string_view word = last_word(channel.type());
  return word == "Image" || word == "RawImage" || word == "CompressedImage";
}

/// "/a, /b and 3 more"
std::string some_names(const std::vector<std::string>& names) {
  std::size_t shown = std::min(names.size(), kMostNames);
  std::string text = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return escaped(text);
}

}  // namespace

std::string_view last_word(std::string_view type) {
  std::size_t end = type.find_last_of("/.:");
  if (end != std::string_view::npos) type.remove_prefix(end + 1);
  // DDS calls the types of ROS 2 so: sensor_msgs::msg::dds_::Image_.
  if (type.ends_with('_')) type.remove_suffix(1);
  return type;
}

bool has_pictures(const Channel& channel, const Session& session) {
  return is_named_as_picture(channel) && is_decodable(channel, session);
}

bool has_video(const Channel& channel, const Session& session) {
  return is_named_as_video(channel) && is_decodable(channel, session);
}

bool may_have_video(const Channel& channel, const Session& session) {
  bool may_be = is_named_as_video(channel) || last_word(channel.type()) == kEither;
  return may_be && is_decodable(channel, session);
}

const std::string* format_of_frame(const Channel& channel, const ImageMessage& fields) {
  std::string_view word = last_word(channel.type());
  if (!fields.data) return nullptr;
  if (word == "FFMPEGPacket") return fields.encoding ? &*fields.encoding : nullptr;
  if (!fields.format) return nullptr;
  bool is_frame = word != kEither || !video_format(*fields.format).empty();
  return is_frame ? &*fields.format : nullptr;
}

ImageMessage image_fields(const Message& message, Decoder& decoder) {
  ImageMessage fields(message.data);
  try {
    decoder.decode(message.data, fields);
  } catch (const Error& error) {
    if (is_final(error.code())) throw;
    throw located(error, message, decoder);
  }
  return fields;
}

Error located_in(const Message& message, const Error& error) {
  if (is_final(error.code())) return error;
  return {error.code(), fmt::format("{} at {}: {}", escaped(message.channel->topic),
                                    format_time(message.log_time), error.message())};
}

void refuse_topic(const std::string& topic, const Channels& channels, const Session& session) {
  std::set<std::string> with_pictures;
  const Channel* own = nullptr;
  for (const ChannelPtr& channel : channels) {
    if (!channel) continue;
    if (channel->topic == topic) own = channel.get();
    if (has_pictures(*channel, session) || has_video(*channel, session)) {
      with_pictures.insert(channel->topic);
    }
  }
  bool is_named = own && (is_named_as_picture(*own) || is_named_as_video(*own));
  if (is_named) decoder_of(*own, session);  // says why there is none
  std::vector<std::string> names(with_pictures.begin(), with_pictures.end());
  std::vector<std::string> similar = nearest_texts(topic, names, kMostNames);
  std::string hint = names.empty()     ? "; no topic of the bag has pictures"
                     : similar.empty() ? "; topics with pictures: " + some_names(names)
                                       : "; similar topics with pictures: " + some_names(similar);
  if (!own) {
    throw Error(ErrorCode::not_found, fmt::format("there is no topic {}{}", escaped(topic), hint));
  }
  throw Error(ErrorCode::invalid,
              fmt::format("the messages of {}, of the type {}, have no pictures{}", escaped(topic),
                          escaped(own->type()), hint));
}

}  // namespace kitbag
