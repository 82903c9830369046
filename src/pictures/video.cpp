#include "kitbag/video.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/codec.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/messages.h"
#include "kitbag/registry.h"
#include "kitbag/text.h"
#include "kitbag/transcode.h"
#include "pictures/frame_in_message.h"
#include "pictures/picture_type.h"
#include "pictures/rows.h"

// A picture of a video is found in two steps: backwards from the frame that is wanted to the last
// key frame, then forwards through the decoder. The first step is left out while the frame that is
// wanted comes soon after the one that the decoder has.
//
// A reader remembers its decoder and the time of the last message in it, no file: whoever keeps one
// for the next request keeps no bag open, and may go on when the bag has grown.

namespace kitbag {
namespace {

/// So far ahead the decoder goes on without looking for a later key frame.
constexpr std::chrono::seconds kStraightOn{1};
constexpr Duration kOneNanosecond{1};

/// The message whose frame is shown.
struct Wanted {
  Time time{};
  const Channel* channel = nullptr;  ///< of the bag
  std::string format;
};

}  // namespace

class VideoReader::Walk {
 public:
  Walk(std::string topic, const Session& session, const VideoLimits& limits)
      : topic_(std::move(topic)), session_(session), limits_(limits) {}

  TimedPicture picture_at(const Bag& bag, Time time, const PictureOptions& options,
                          const Wait& wait) {
    Wanted wanted = find(bag, time, wait);
    bool is_shown = shown_ && shown_->time() == wanted.time && slot_ == wanted.channel->slot;
    try {
      if (!is_shown) show(bag, wanted, wait);
    } catch (...) {
      reset();
      throw;
    }
    return {wanted.time, scaled_picture(shown_->picture(), options, wait)};
  }

  std::optional<Time> position() const {
    return decoder_ ? std::optional<Time>(last_time_) : std::nullopt;
  }

 private:
  /// Counts messages on the way between a key frame and the one that is wanted.
  class Way {
   public:
    explicit Way(const VideoLimits& limits) : limits_(limits) {}
    void add(const Message& message) {
      bytes_ += message.data.size();
      if (++messages_ <= limits_.most_messages && bytes_ <= limits_.most_bytes) return;
      throw Error(ErrorCode::limit,
                  fmt::format("the frame takes more than {} messages or {} from the last key frame "
                              "on",
                              limits_.most_messages, format_size(limits_.most_bytes)));
    }

   private:
    VideoLimits limits_;
    std::uint64_t messages_ = 0;
    std::uint64_t bytes_ = 0;
  };

  Selection selection() const { return {.topics = {exact_pattern(topic_)}}; }

  /// Throws Error (invalid) for a picture.
  FrameInMessage frame_of(const Message& message, Decoder& decoder) const {
    if (auto frame = frame_in(message, decoder)) return std::move(*frame);
    refuse_pictures();
  }

  Wanted wanted_frame(const Message& message, const Channels& channels, Decoder& decoder) const {
    return {message.log_time, channels.at(message.channel->slot).get(),
            frame_of(message, decoder).format};
  }

  [[noreturn]] void refuse_pictures() const {
    throw Error(ErrorCode::invalid,
                fmt::format("the messages of {} are pictures, not a video", escaped(topic_)));
  }

  /// The last message at or before `time`, or else the first key frame.
  Wanted find(const Bag& bag, Time time, const Wait& wait) {
    const Channels& channels = *bag.channels();
    std::vector<std::unique_ptr<Decoder>> decoders = decoders_of(channels);
    Batch before = bag.last_before(saturating_add(time, kOneNanosecond), selection(), wait);
    // The topic may have several channels, of which this is the last message of each; the latest
    // first.
    for (std::size_t i = before.messages().size(); i > 0; --i) {
      const Message& message = before.messages()[i - 1];
      Decoder* decoder = decoders.at(message.channel->slot).get();
      if (decoder) return wanted_frame(message, channels, *decoder);
    }
    Way way(limits_);
    for (const Message& message :
         Messages(bag.read({.select = selection(), .begin = time}, wait))) {
      throw_if_stopped(wait);
      Decoder* decoder = decoders.at(message.channel->slot).get();
      if (!decoder) continue;
      if (frame_of(message, *decoder).is_key()) {
        return wanted_frame(message, channels, *decoder);
      }
      way.add(message);
    }
    throw Error(ErrorCode::not_found,
                fmt::format("the topic {} has no key frame, from which a video can be decoded",
                            escaped(topic_)));
  }

  /// By slot; null: the channel is not of this video. Throws Error if there is none.
  std::vector<std::unique_ptr<Decoder>> decoders_of(const Channels& channels) const {
    std::vector<std::unique_ptr<Decoder>> decoders(channels.size());
    bool has_video_itself = false;
    bool has_picture = false;
    for (const ChannelPtr& channel : channels) {
      if (!channel || channel->topic != topic_) continue;
      has_picture = has_picture || has_pictures(*channel, session_);
      if (!may_have_video(*channel, session_)) continue;
      decoders[channel->slot] = decoder_of(*channel, session_);
      has_video_itself = true;
    }
    if (has_video_itself) return decoders;
    if (!has_picture) refuse_topic(topic_, channels, session_);
    refuse_pictures();
  }

  void show(const Bag& bag, const Wanted& wanted, const Wait& wait) {
    auto fields = decoder_of(*wanted.channel, session_);
    shown_.reset();
    std::optional<Time> key;
    bool goes_on = decoder_ && slot_ == wanted.channel->slot && last_time_ < wanted.time;
    if (!goes_on || saturating_difference(last_time_, wanted.time) > kStraightOn) {
      key = last_key_frame(bag, wanted, *fields, wait);
      goes_on = goes_on && *key <= last_time_;
    }
    if (!goes_on) begin(wanted, *key);
    decode(bag, wanted, *fields, wait);
  }

  /// The log time of the last key frame at or before the frame that is wanted.
  Time last_key_frame(const Bag& bag, const Wanted& wanted, Decoder& fields, const Wait& wait) {
    Way way(limits_);
    Query backwards{.select = selection(),
                    .end = saturating_add(wanted.time, kOneNanosecond),
                    .order = Order::reverse_time};
    for (const Message& message : Messages(bag.read(backwards, wait))) {
      throw_if_stopped(wait);
      if (message.channel->slot != wanted.channel->slot) continue;
      if (frame_of(message, fields).is_key()) return message.log_time;
      way.add(message);
    }
    throw Error(ErrorCode::not_found,
                fmt::format("the video of {} has no key frame at or before {}; it can be shown "
                            "from its first key frame on",
                            escaped(topic_), format_time(wanted.time)));
  }

  void begin(const Wanted& wanted, Time key) {
    reset();
    const VideoCodec* codec = session_.find_video_codec(wanted.format);
    if (!codec) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("there is no decoder for video in the format {}", wanted.format));
    }
    decoder_ = codec->create(limits_);
    format_ = wanted.format;
    slot_ = wanted.channel->slot;
    last_time_ = key;
  }

  /// From the message after the last one that the decoder has, or the first key frame, to the one
  /// that is wanted.
  void decode(const Bag& bag, const Wanted& wanted, Decoder& fields, const Wait& wait) {
    auto keep = [&](std::unique_ptr<const VideoFrame> frame) {
      if (frame->time() == wanted.time) shown_ = std::move(frame);
    };
    Way way(limits_);
    std::uint64_t known = messages_at_last_;
    Query forwards{.select = selection(),
                   .begin = last_time_,
                   .end = saturating_add(wanted.time, kOneNanosecond)};
    for (const Message& message : Messages(bag.read(forwards, wait))) {
      throw_if_stopped(wait);
      if (message.channel->slot != slot_) continue;
      if (message.log_time == last_time_ && known > 0) {
        --known;
        continue;
      }
      FrameInMessage frame = frame_of(message, fields);
      if (messages_at_last_ == 0 && !frame.is_key()) continue;
      try {
        way.add(message);
        if (frame.format != format_) {
          throw Error(ErrorCode::unsupported, "the format of the video changes within a topic");
        }
        decoder_->decode(frame.data, message.log_time, keep);
      } catch (const Error& error) {
        throw located_in(message, error);
      }
      messages_at_last_ = message.log_time == last_time_ ? messages_at_last_ + 1 : 1;
      last_time_ = message.log_time;
    }
    if (shown_) return;
    decoder_->flush(keep);
    decoder_.reset();
    if (shown_) return;
    throw Error(ErrorCode::corrupt, fmt::format("the message of {} at {} gives no frame",
                                                escaped(topic_), format_time(wanted.time)));
  }

  void reset() {
    shown_.reset();
    decoder_.reset();
    messages_at_last_ = 0;
  }

  std::string topic_;
  Session session_;
  VideoLimits limits_;
  std::unique_ptr<VideoDecoder> decoder_;  ///< null: the next frame begins at a key frame
  std::string format_;
  std::uint32_t slot_ = 0;              ///< of the channel that is decoded
  Time last_time_{};                    ///< of the last message that the decoder has
  std::uint64_t messages_at_last_ = 0;  ///< that the decoder has at this time; 0: none at all
  std::unique_ptr<const VideoFrame> shown_;
};

VideoReader::VideoReader(std::string topic, const Session& session, const VideoLimits& limits)
    : walk_(std::make_unique<Walk>(std::move(topic), session, limits)) {}

VideoReader::~VideoReader() = default;
VideoReader::VideoReader(VideoReader&&) noexcept = default;
VideoReader& VideoReader::operator=(VideoReader&&) noexcept = default;

TimedPicture VideoReader::picture_at(const Bag& bag, Time time, const PictureOptions& options,
                                     const Wait& wait) {
  return walk_->picture_at(bag, time, options, wait);
}

std::optional<Time> VideoReader::position() const {
  return walk_->position();
}

}  // namespace kitbag
