#include "export/video/container.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/text.h"

// A container stores for each frame when it is decoded, and how much later it is shown. So the
// duration of a frame is known when the next one comes.
//
// MP4 counts 90,000 ticks a second, as most of its writers do: a finer clock would end after pauses
// of half an hour. Matroska by libavformat counts milliseconds.

namespace kitbag::libav {
namespace {

/// An H.264 or H.265 frame is shown at most 16 frames after it could be. So that as many can be
/// decoded between two that are shown, frames of an MP4 are 0.2 ms apart.
constexpr Ticks kMp4Ticks{90'000, 18, std::numeric_limits<std::int32_t>::max() / 2, 1};
constexpr Ticks kMkvTicks{1000, 1, std::numeric_limits<std::int64_t>::max() / 2, 0};

/// A fragment that is streamed ends after this time, or with this size.
constexpr const char* kFragmentMicroseconds = "1000000";
constexpr const char* kFragmentBytes = "4194304";

}  // namespace

Ticks ticks_of(Container container) {
  return container == Container::mp4 ? kMp4Ticks : kMkvTicks;
}

VideoFile::VideoFile(Container container, bool is_streamed, Output& output,
                     const AVCodecParameters& parameters, const About& about)
    : output_(output), ticks_{1, ticks_of(container).per_second}, is_streamed_(is_streamed) {
  AVFormatContext* made = nullptr;
  const char* name = container == Container::mp4 ? "mp4" : "matroska";
  if (avformat_alloc_output_context2(&made, nullptr, name, nullptr) < 0) throw_no_memory();
  muxer_.reset(made);
  muxer_->pb = output.context();
  // BITEXACT: without the version of libavformat, so that the same frames give the same file.
  muxer_->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT;
  // Times of decoding may be below 0; Matroska would move all frames then.
  muxer_->avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED;
  av_dict_set(&muxer_->metadata, "title", about.topic.c_str(), 0);
  std::string first = format_time(about.first_frame);
  av_dict_set(&muxer_->metadata, "creation_time", first.c_str(), 0);
  av_dict_set(&muxer_->metadata, "comment", ("the first frame is of " + first).c_str(), 0);
  AVStream* stream = avformat_new_stream(muxer_.get(), nullptr);
  if (!stream || avcodec_parameters_copy(stream->codecpar, &parameters) < 0) throw_no_memory();
  // A wish: the container may choose another one, to which write_held() converts.
  stream->time_base = ticks_;
  // With its parameters in the head of the file alone, which is what all players take.
  bool is_h265 = parameters.codec_id == AV_CODEC_ID_HEVC;
  if (container == Container::mp4 && is_h265) {
    stream->codecpar->codec_tag = MKTAG('h', 'v', 'c', '1');
  }
  Dictionary options;
  if (container == Container::mp4 && is_streamed) {
    // A stream cannot go back to write an index. Fragments have one each.
    options.set("movflags", "frag_keyframe+empty_moov+default_base_moof");
    options.set("frag_duration", kFragmentMicroseconds);
    options.set("frag_size", kFragmentBytes);
  }
  check(avformat_write_header(muxer_.get(), options.get()));
}

void VideoFile::write(Packet packet) {
  if (held_) write_held(packet->dts - held_->dts);
  held_ = std::move(packet);
}

void VideoFile::finish() {
  // The last frame is shown as long as the one before it; a single one for a 30th of a second.
  if (held_) write_held(duration_ > 0 ? duration_ : ticks_.den / 30);
  check(av_write_trailer(muxer_.get()));
  avio_flush(muxer_->pb);
  check(muxer_->pb->error);
}

void VideoFile::write_held(std::int64_t duration) {
  duration_ = duration;
  held_->duration = duration;
  held_->stream_index = 0;
  av_packet_rescale_ts(held_.get(), ticks_, muxer_->streams[0]->time_base);
  check(av_write_frame(muxer_.get(), held_.get()));
  held_.reset();
  if (is_streamed_) avio_flush(muxer_->pb);
  check(muxer_->pb->error);
}

void VideoFile::check(int result) const {
  output_.rethrow();
  if (result >= 0) return;
  if (result == AVERROR(ENOMEM)) throw_no_memory();
  throw Error(ErrorCode::unsupported, fmt::format("the video cannot be written as {}: {}",
                                                  muxer_->oformat->name, reason_of(result)));
}

}  // namespace kitbag::libav
