#include "kitbag/picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "kitbag/codec.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/text.h"
#include "kitbag/transcode.h"
#include "kitbag/video.h"
#include "pictures/compressed_depth.h"
#include "pictures/image_message.h"
#include "pictures/jpeg.h"
#include "pictures/picture_type.h"
#include "pictures/png.h"
#include "pictures/raw_image.h"
#include "pictures/video_format.h"

// What is in a message with a picture is known by its fields, and what is in compressed data by its
// first bytes, since the field `format` is written in many ways.

namespace kitbag {
namespace {

[[noreturn]] void refuse_video() {
  throw Error(ErrorCode::unsupported,
              "the message has no picture of its own: video; it takes the messages since the last "
              "key frame, which picture_at() reads");
}

Picture read_rows(PictureRows& rows, PictureSize whole, const PictureOptions& options,
                  const Wait& wait) {
  return scaled_picture(rows, scaled_size(whole, options), wait);
}

Picture raw_picture(const RawImage& image, const PictureOptions& options, const Wait& wait) {
  auto rows = raw_rows(image, options.most_pixels);
  return read_rows(*rows, rows->size(), options, wait);
}

/// `inverse`: of compressedDepth.
Picture png_picture(ByteView bytes, std::string_view format,
                    const std::optional<InverseDepth>& inverse, const PictureOptions& options,
                    const Wait& wait) {
  OpenedPng png = open_png(bytes, options.most_pixels, wait);
  if (png.rows) return read_rows(*png.rows, png.size, options, wait);
  RawImage image{.width = png.size.width,
                 .height = png.size.height,
                 .encoding = format.starts_with("mono16") ? "mono16" : "16UC1",
                 .step = 0,
                 .is_big_endian = true,
                 .data = png.values};
  if (inverse && format.starts_with("32FC1")) {
    auto rows = inverse_depth_rows(image, *inverse, options.most_pixels);
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
  if (is_png(data)) return png_picture(data, format, std::nullopt, options, wait);
  if (auto depth = compressed_depth(data)) {
    return png_picture(depth->png, format, depth->inverse, options, wait);
  }
  if (!video_format(format).empty()) refuse_video();
  refuse_compressed(data, format);
}

Picture picture_in(const ImageMessage& fields, const PictureOptions& options, const Wait& wait) {
  if (auto image = fields.raw()) return raw_picture(*image, options, wait);
  if (fields.is_compressed()) {
    return compressed_picture(*fields.data, *fields.format, options, wait);
  }
  refuse_without_picture();
}

/// Of a message that has_pictures().
bool is_frame_of_video(const Message& message, const Session& session) {
  if (!may_have_video(*message.channel, session)) return false;
  auto decoder = decoder_of(*message.channel, session);
  return format_of_frame(*message.channel, image_fields(message, *decoder)) != nullptr;
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

Picture picture_of(const Message& message, const PictureOptions& options, const Session& session,
                   const Wait& wait) {
  auto decoder = decoder_of(*message.channel, session);
  ImageMessage fields = image_fields(message, *decoder);
  try {
    if (is_named_as_video(*message.channel)) refuse_video();
    return picture_in(fields, options, wait);
  } catch (const Error& error) {
    throw located_in(message, error);
  }
}

TimedPicture picture_at(const Bag& bag, const std::string& topic, Time time,
                        const PictureOptions& options, const Session& session, const Wait& wait) {
  const Channels& channels = *bag.channels();
  std::vector<bool> slots = picture_slots(channels, topic, session);
  auto picture_of_video = [&] {
    VideoLimits limits;
    limits.most_pixels = std::min(limits.most_pixels, options.most_pixels);
    return VideoReader(topic, session, limits).picture_at(bag, time, options, wait);
  };
  if (std::find(slots.begin(), slots.end(), true) == slots.end()) return picture_of_video();
  auto picture_in_message = [&](const Message& message) {
    if (is_frame_of_video(message, session)) return picture_of_video();
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
