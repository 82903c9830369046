#include "kitbag/picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/nearest_texts.h"
#include "kitbag/codec.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/text.h"
#include "kitbag/transcode.h"
#include "pictures/image_message.h"
#include "pictures/jpeg.h"
#include "pictures/png.h"
#include "pictures/raw_image.h"

// Which messages have a picture is known by the last word of their type: there are many packages
// with an Image, and all of them have the fields of sensor_msgs or foxglove. What is in a message
// is then known by its fields, and what is in compressed data by its first bytes, since the field
// `format` is written in many ways.

namespace kitbag {
namespace {

constexpr std::size_t kMostNames = 3;
/// In front of the PNG in `compressedDepth` of ROS: an int32, and two floats for inverse depths.
constexpr std::size_t kDepthHeaderBytes = 12;

/// "Image" of "sensor_msgs/msg/Image", "sensor_msgs::msg::dds_::Image_" and "foxglove.Image".
std::string_view last_word(std::string_view type) {
  std::size_t end = type.find_last_of("/.:");
  if (end != std::string_view::npos) type.remove_prefix(end + 1);
  if (type.ends_with('_')) type.remove_suffix(1);
  return type;
}

[[noreturn]] void refuse_video() {
  throw Error(ErrorCode::unsupported,
              "the message has no picture of its own: video; only a player that has the messages "
              "before it can show it");
}

Picture read_rows(PictureRows& rows, PictureSize whole, const PictureOptions& options,
                  const Wait& wait) {
  return scaled_picture(rows, scaled_size(whole, options), wait);
}

Picture raw_picture(const RawImage& image, const PictureOptions& options, const Wait& wait) {
  auto rows = raw_rows(image, options.most_pixels);
  return read_rows(*rows, rows->size(), options, wait);
}

float little_endian_float(ByteView bytes) {
  static_assert(std::numeric_limits<float>::is_iec559);
  float value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

/// `header`: of compressedDepth; empty: it is none.
Picture png_picture(ByteView bytes, std::string_view format, ByteView header,
                    const PictureOptions& options, const Wait& wait) {
  OpenedPng png = open_png(bytes, options.most_pixels, wait);
  if (png.rows) return read_rows(*png.rows, png.size, options, wait);
  RawImage image{.width = png.size.width,
                 .height = png.size.height,
                 .encoding = format.starts_with("mono16") ? "mono16" : "16UC1",
                 .step = 0,
                 .is_big_endian = true,
                 .data = png.values};
  if (!header.empty() && format.starts_with("32FC1")) {
    InverseDepth inverse{little_endian_float(header.subspan(4)),
                         little_endian_float(header.subspan(8))};
    auto rows = inverse_depth_rows(image, inverse, options.most_pixels);
    return read_rows(*rows, png.size, options, wait);
  }
  return raw_picture(image, options, wait);
}

Picture compressed_picture(ByteView data, std::string_view format, const PictureOptions& options,
                           const Wait& wait) {
  if (is_jpeg(data)) {
    OpenedJpeg jpeg = open_jpeg(data, options, wait);
    return read_rows(*jpeg.rows, jpeg.whole, options, wait);
  }
  if (is_png(data)) return png_picture(data, format, {}, options, wait);
  if (data.size() > kDepthHeaderBytes && is_png(data.subspan(kDepthHeaderBytes))) {
    return png_picture(data.subspan(kDepthHeaderBytes), format, data.first(kDepthHeaderBytes),
                       options, wait);
  }
  constexpr std::array<std::string_view, 5> kVideos = {"h264", "h265", "hevc", "vp9", "av1"};
  if (std::find(kVideos.begin(), kVideos.end(), format) != kVideos.end()) refuse_video();
  if (data.empty()) throw Error(ErrorCode::corrupt, "the picture is empty: it has no data");
  throw Error(ErrorCode::unsupported,
              fmt::format("the picture is neither a JPEG nor a PNG; its format is \"{}\"",
                          escaped(format)));
}

Picture picture_in(const ImageMessage& fields, const PictureOptions& options, const Wait& wait) {
  if (fields.data && fields.width && fields.height && fields.encoding) {
    RawImage image{.width = *fields.width,
                   .height = *fields.height,
                   .encoding = *fields.encoding,
                   .step = fields.step.value_or(0),
                   .is_big_endian = fields.is_bigendian.value_or(0) != 0,
                   .data = *fields.data};
    return raw_picture(image, options, wait);
  }
  if (fields.data && fields.format) {
    return compressed_picture(*fields.data, *fields.format, options, wait);
  }
  throw Error(ErrorCode::unsupported,
              "the message has no picture; a picture has the fields width, height, encoding and "
              "data, or format and data");
}

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

/// Why there is no picture of the topic.
[[noreturn]] void refuse_topic(const std::string& topic, const Channels& channels,
                               const Session& session) {
  std::set<std::string> with_pictures;
  const Channel* own = nullptr;
  for (const ChannelPtr& channel : channels) {
    if (!channel) continue;
    if (channel->topic == topic) own = channel.get();
    if (has_pictures(*channel, session)) with_pictures.insert(channel->topic);
  }
  if (own && last_word(own->type()) == "CompressedVideo") {
    throw Error(ErrorCode::invalid, fmt::format("the messages of {} have no pictures of their own: "
                                                "video",
                                                escaped(topic)));
  }
  if (own && is_named_as_picture(*own)) decoder_of(*own, session);  // says why there is none
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

/// The channels of the topic that have pictures, by slot.
std::vector<bool> picture_slots(const Channels& channels, const std::string& topic,
                                const Session& session) {
  std::vector<bool> slots;
  for (const ChannelPtr& channel : channels) {
    slots.push_back(channel && channel->topic == topic && has_pictures(*channel, session));
  }
  return slots;
}

}  // namespace

bool has_pictures(const Channel& channel, const Session& session) {
  return is_named_as_picture(channel) && is_decodable(channel, session);
}

Picture picture_of(const Message& message, const PictureOptions& options, const Session& session,
                   const Wait& wait) {
  auto decoder = decoder_of(*message.channel, session);
  ImageMessage fields(message.data);
  try {
    decoder->decode(message.data, fields);
  } catch (const Error& error) {
    if (is_final(error.code())) throw;
    throw located(error, message, *decoder);
  }
  try {
    if (last_word(message.channel->type()) == "CompressedVideo") refuse_video();
    return picture_in(fields, options, wait);
  } catch (const Error& error) {
    if (is_final(error.code())) throw;
    throw Error(error.code(), fmt::format("{} at {}: {}", escaped(message.channel->topic),
                                          format_time(message.log_time), error.message()));
  }
}

TimedPicture picture_at(const Bag& bag, const std::string& topic, Time time,
                        const PictureOptions& options, const Session& session, const Wait& wait) {
  const Channels& channels = *bag.summary().channels;
  std::vector<bool> slots = picture_slots(channels, topic, session);
  if (std::find(slots.begin(), slots.end(), true) == slots.end()) {
    refuse_topic(topic, channels, session);
  }
  auto picture_in_message = [&](const Message& message) {
    return TimedPicture{message.log_time, picture_of(message, options, session, wait)};
  };
  Selection select{.topics = {exact_pattern(topic)}};
  Batch before = bag.last_before(saturating_add(time, Duration(1)), select, wait);
  // The topic may have several channels, of which this is the last message of each; the latest
  // first.
  for (std::size_t i = before.messages().size(); i > 0; --i) {
    const Message& message = before.messages()[i - 1];
    if (slots.at(message.channel->slot)) return picture_in_message(message);
  }
  for (const Message& message : bag.messages({.select = select, .begin = time})) {
    throw_if_stopped(wait);
    if (has_pictures(*message.channel, session)) return picture_in_message(message);
  }
  throw Error(ErrorCode::not_found,
              fmt::format("the topic {} has no messages that can be read", escaped(topic)));
}

std::vector<std::byte> encode_picture(const Picture& picture, PictureFormat format) {
  bool has_channels = picture.channels == 1 || picture.channels == 3;
  std::uint64_t pixels = std::uint64_t{picture.width} * picture.height;
  if (!has_channels || pixels == 0 || picture.pixels.size() / picture.channels != pixels ||
      picture.pixels.size() % picture.channels != 0) {
    throw Error(ErrorCode::invalid, "the picture contradicts itself");
  }
  return format == PictureFormat::jpeg ? encode_jpeg(picture) : encode_png(picture);
}

}  // namespace kitbag
