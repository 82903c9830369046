#include "export/video/topic_video.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/picture.h"
#include "kitbag/text.h"
#include "kitbag/transcode.h"
#include "kitbag/video.h"

// Each message is one frame. A frame of a video goes into the file as it is; a picture goes through
// the encoder. What is wrong with a message is an Error of reading it, which OnError is about; what
// is wrong with writing ends the export.
//
// Log times of frames are in the order in which they were sent, which is that of decoding. Where
// frames are shown in another order, the times of a group of such frames are given to them in that
// order.
//
//     picture -> encoder_ --------------------------> file
//     frame   -> stream_ -> order_ -> write_group() -> file     order_: H.264 and H.265 alone
//
// A file ends where the size or the parameters change. Whether another one begins, the sink says.

namespace kitbag::libav {
namespace {

Error located(const Message& message, const Error& error) {
  return {error.code(), fmt::format("{} at {}: {}", escaped(message.channel->topic),
                                    format_time(message.log_time), error.message())};
}

/// "1 frame", "3 frames".
std::string count_of(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

}  // namespace

bool is_camera(const Channel& channel, const Session& session) {
  return has_pictures(channel, session) || has_video(channel, session);
}

TopicVideo::TopicVideo(std::string topic, Container container, std::unique_ptr<VideoSink> sink,
                       const ExportRequest& request, const Session& session, const Wait& wait)
    : topic_(std::move(topic)),
      container_(container),
      sink_(std::move(sink)),
      request_(request),
      session_(session),
      wait_(wait),
      stamps_{FieldReader<Time>("header.stamp", session), FieldReader<Time>("timestamp", session)} {
}

void TopicVideo::write(std::span<const Message> messages, const ChannelsPtr& /*channels*/) {
  for (const Message& message : messages) {
    throw_if_stopped(wait_);
    take(message);
  }
}

Exported TopicVideo::finish() {
  end_file();
  tell_at_end();
  Exported written = sink_->written();
  written.topic = topic_;
  return written;
}

void TopicVideo::take(const Message& message) {
  Content content = content_of(*message.channel);
  if (content == Content::either) {
    auto is_frame = read(message, [&] { return video_frame_of(message, session_).has_value(); });
    if (!is_frame) return;
    content = *is_frame ? Content::frame : Content::picture;
  }
  if (content == Content::picture) return take_picture(message);
  if (content == Content::frame) return take_frame(message);
  read(message, [&]() -> bool {
    throw Error(ErrorCode::unsupported, "the message has neither a picture nor a frame");
  });
}

void TopicVideo::take_picture(const Message& message) {
  struct Shown {
    Picture picture;
    Time time{};
  };
  auto shown = read(message, [&] {
    PictureOptions options;
    options.most_pixels = sink_->most_pixels();
    return Shown{picture_of(message, options, session_, wait_), time_of(message)};
  });
  if (!shown) return;
  const Picture& picture = shown->picture;
  bool fits =
      encoder_ && encoder_->width() == picture.width && encoder_->height() == picture.height;
  if (!fits) {
    end_file();
    auto encoder = encoder_for(container_, picture.width, picture.height, request_.video,
                               sink_->is_streamed());
    if (!begin_file(*encoder->parameters(), shown->time)) return;
    encoder_ = std::move(encoder);
    if (encoder_->is_padded()) {
      tell(
          fmt::format("the pictures have {} x {} pixels, and a video has an even number; the last "
                      "{} repeated",
                      picture.width, picture.height,
                      picture.width % 2 == 0    ? "row is"
                      : picture.height % 2 == 0 ? "column is"
                                                : "column and row are"));
    }
  }
  std::int64_t pts = sink_->times().next(shown->time);
  encoder_->encode(picture, pts, [&](Packet packet) { sink_->file()->write(std::move(packet)); });
}

void TopicVideo::take_frame(const Message& message) {
  struct Coded {
    EncodedFrame frame;
    Time time{};
    bool is_key = false;
    ParameterSets sets;     ///< of a key frame
    Parameters parameters;  ///< of a key frame with which a file begins
  };
  auto coded = read(message, [&] {
    Coded read{encoded_frame_of(message, session_), time_of(message), false, {}, nullptr};
    check_units(read.frame);
    read.is_key = is_key_frame(read.frame.format, read.frame.data);
    if (!read.is_key) return read;
    read.sets = parameter_sets_of(read.frame);
    bool goes_on = stream_ && stream_->format() == read.frame.format && sets_ == read.sets;
    // VP9 says the size in each key frame, and nothing beforehand.
    if (!goes_on || read.sets.empty()) read.parameters = parameters_of(read.frame, read.sets);
    return read;
  });
  if (!coded) return;
  bool is_other = !stream_ || stream_->format() != coded->frame.format;
  if (is_other && !coded->is_key) {
    ++before_key_;
    return;
  }
  // Of VP9 each key frame comes by here. With the same size, the file goes on.
  bool has_size = stream_ && coded->parameters && coded->parameters->width == width_ &&
                  coded->parameters->height == height_ && sets_ == coded->sets;
  if (is_other || (coded->parameters && !has_size)) {
    end_file();
    if (!begin_file(*coded->parameters, coded->time)) return;
    width_ = coded->parameters->width;
    height_ = coded->parameters->height;
    sets_ = std::move(coded->sets);
    stream_ = std::make_unique<CodedStream>(coded->frame.format);
    order_ = std::make_unique<ShownOrder>(
        [this](std::vector<CodedFrame>& group) { write_group(group); });
  }
  CodedFrame frame = stream_->frame_of(coded->frame, coded->time);
  if (stream_->may_be_reordered()) return order_->add(std::move(frame));
  std::vector<CodedFrame> alone;
  alone.push_back(std::move(frame));
  write_group(alone);
}

/// What `read` gives; nothing for a message that is left out.
template <class Read>
auto TopicVideo::read(const Message& message, const Read& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const Error& error) {
    if (is_final(error.code())) throw;
    // What the reader of pictures and frames says has the topic already.
    bool is_located = error.message().starts_with(escaped(topic_));
    Error told = is_located ? error : located(message, error);
    if (request_.columns.on_error == OnError::stop) throw told;
    if (request_.columns.report) {
      TranscodeReport::Topic& lost = request_.columns.report->topics[topic_];
      if (lost.skipped++ == 0 && lost.first_error.empty()) lost.first_error = told.message();
    }
    return std::nullopt;
  }
}

TopicVideo::Content TopicVideo::content_of(const Channel& channel) {
  auto [place, is_new] = contents_.try_emplace(&channel, Content::none);
  if (!is_new) return place->second;
  if (has_pictures(channel, session_)) {
    place->second = may_have_video(channel, session_) ? Content::either : Content::picture;
  }
  if (has_video(channel, session_)) place->second = Content::frame;
  return place->second;
}

Time TopicVideo::time_of(const Message& message) {
  if (request_.columns.time == RowTime::log_time) return message.log_time;
  if (request_.columns.time == RowTime::publish_time) return message.publish_time;
  std::size_t& field = stamp_fields_[message.channel];
  for (; field < stamps_.size(); ++field) {
    try {
      return stamps_[field](message);
    } catch (const Error& error) {
      bool has_no_such = error.code() == ErrorCode::not_found || error.code() == ErrorCode::invalid;
      if (!has_no_such) throw;
    }
    if (field + 1 == stamps_.size()) {
      tell("the messages have no header.stamp and no timestamp; their log times are taken");
    }
  }
  return message.log_time;
}

/// Returns false if the messages from here on are left out.
bool TopicVideo::begin_file(const AVCodecParameters& parameters, Time time) {
  if (behind_ == 0 && sink_->begin(parameters, {topic_, time})) return true;
  if (behind_++ == 0) {
    tell(fmt::format("the pictures from {} on have another size or form, and are left out",
                     format_time(time)));
  }
  return false;
}

void TopicVideo::end_file() {
  if (!sink_->file()) return;
  auto write = [&](Packet packet) { sink_->file()->write(std::move(packet)); };
  if (encoder_) {
    while (encoder_->drain(write)) throw_if_stopped(wait_);
  }
  if (order_) order_->end();
  encoder_.reset();
  order_.reset();
  stream_.reset();
  moved_ += sink_->times().moved();
  sink_->end();
}

void TopicVideo::write_group(std::vector<CodedFrame>& group) {
  std::vector<Time> times;
  times.reserve(group.size());
  for (const CodedFrame& frame : group) times.push_back(frame.time);
  if (group.size() > 1) {
    is_reordered_ = true;
    std::sort(times.begin(), times.end());
  }
  std::vector<std::int64_t> shown;
  shown.reserve(times.size());
  for (Time time : times) shown.push_back(sink_->times().next(time));
  // A frame is decoded when the first of those behind it has to be shown, or before.
  std::int64_t decoded = INT64_MAX;
  for (std::size_t i = group.size(); i > 0; --i) {
    AVPacket& packet = *group[i - 1].packet;
    packet.pts = shown[group[i - 1].shown];
    if (decoded != INT64_MAX) decoded -= ticks_of(container_).between_stored;
    decoded = std::min(decoded, packet.pts);
    packet.dts = decoded;
  }
  for (CodedFrame& frame : group) sink_->file()->write(std::move(frame.packet));
}

void TopicVideo::tell(const std::string& sentence) const {
  if (!request_.columns.on_warning) return;
  request_.columns.on_warning(
      Error(ErrorCode::remark, fmt::format("{}: {}", escaped(topic_), sentence)));
}

void TopicVideo::tell_at_end() const {
  if (before_key_ > 0) {
    tell(count_of(before_key_, "frame") + " before a key frame left out");
  }
  if (behind_ > 1) tell(count_of(behind_, "message") + " of another size or form left out");
  if (moved_ > 0) {
    tell(count_of(moved_, "frame") +
         " not later than the one before; shown after it, with its own time in the table");
  }
  if (is_reordered_) {
    tell(
        "frames are shown in another order than they come (B-frames); they have the times of the "
        "messages in the order in which they are shown");
  }
}

}  // namespace kitbag::libav
