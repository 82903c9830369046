#include "video/libav/decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "kitbag/error.h"
#include "video/libav/av.h"
#include "video/libav/budget.h"
#include "video/libav/frame.h"

// A stream of video is input from strangers for a large library of C. What it may take is limited
// in three places. libav's own parser reads the size of a frame, which is compared with the limit
// before the decoder sees the frame; the decoder has the limit too, for streams with more than one
// size. The memory of decoded frames is counted, since the stream says how many are kept. And a
// message gives few frames.
//
// A damaged frame is an error. Where slices of it are missing, libav fills them from their
// neighbours and says so in the frame: if it did not (error_concealment), it would lose count of
// the slices. There is one thread: threads of libav hold frames back.

namespace kitbag::libav {
namespace {

/// More than the layers of a picture, or the frames that VP9 puts into one.
constexpr int kMostFramesOfMessage = 16;

AVCodecID codec_id(std::string_view format) {
  if (format == "h264") return AV_CODEC_ID_H264;
  if (format == "h265") return AV_CODEC_ID_HEVC;
  if (format == "vp9") return AV_CODEC_ID_VP9;
  return AV_CODEC_ID_AV1;
}

class Decoder final : public VideoDecoder {
 public:
  Decoder(std::string_view format, const VideoLimits& limits)
      : limits_(limits),
        budget_(std::make_shared<Budget>(Budget{limits.most_frame_bytes, 0, false})),
        parser_(av_parser_init(codec_id(format))),
        packet_(av_packet_alloc()) {
    const AVCodec* codec = avcodec_find_decoder(codec_id(format));
    if (!codec || !parser_) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("the libavcodec of this machine has no decoder for {}", format));
    }
    context_.reset(avcodec_alloc_context3(codec));
    if (!context_ || !packet_) throw_no_memory();
    context_->opaque = &budget_;
    context_->get_buffer2 = [](AVCodecContext* context, AVFrame* frame, int flags) {
      return get_counted_buffer(*static_cast<BudgetPtr*>(context->opaque), context, frame, flags);
    };
    context_->max_pixels = static_cast<std::int64_t>(
        std::min<std::uint64_t>(limits.most_pixels, std::numeric_limits<int>::max()));
    context_->thread_count = 1;
    context_->thread_type = FF_THREAD_SLICE;
    context_->err_recognition = AV_EF_CAREFUL | AV_EF_BITSTREAM | AV_EF_BUFFER | AV_EF_EXPLODE;
    check(avcodec_open2(context_.get(), codec, nullptr));
  }

  void decode(ByteView data, Time time, const OnVideoFrame& on_frame) override {
    if (data.empty()) throw Error(ErrorCode::corrupt, "the frame is empty: it has no data");
    if (data.size() > std::min<std::uint64_t>(limits_.most_message_bytes, 1 << 30)) {
      throw Error(ErrorCode::limit,
                  fmt::format("the frame is too large: it has {} bytes", data.size()));
    }
    if (av_new_packet(packet_.get(), static_cast<int>(data.size())) < 0) throw_no_memory();
    std::memcpy(packet_->data, data.data(), data.size());
    packet_->pts = to_ns(time);
    struct Unref {
      AVPacket* packet;
      ~Unref() { av_packet_unref(packet); }
    } unref{packet_.get()};
    check_frame_size();
    send(packet_.get(), on_frame);
  }

  void flush(const OnVideoFrame& on_frame) override {
    send(nullptr, on_frame);
    avcodec_flush_buffers(context_.get());
  }

 private:
  /// Of what the packet says that it is.
  void check_frame_size() {
    std::uint8_t* parsed = nullptr;
    int parsed_bytes = 0;
    parser_->flags |= PARSER_FLAG_COMPLETE_FRAMES;
    av_parser_parse2(parser_.get(), context_.get(), &parsed, &parsed_bytes, packet_->data,
                     packet_->size, packet_->pts, AV_NOPTS_VALUE, -1);
    auto width = static_cast<std::uint64_t>(std::max({parser_->width, parser_->coded_width, 0}));
    auto height = static_cast<std::uint64_t>(std::max({parser_->height, parser_->coded_height, 0}));
    if (width * height <= limits_.most_pixels) return;
    throw Error(ErrorCode::limit,
                fmt::format("the frame of {} x {} pixels is too large", width, height));
  }

  /// Null: there are no more packets.
  void send(const AVPacket* packet, const OnVideoFrame& on_frame) {
    budget_->is_exceeded = false;
    check(avcodec_send_packet(context_.get(), packet));
    for (int frames = 0;; ++frames) {
      Frame frame(av_frame_alloc());
      if (!frame) throw_no_memory();
      int result = avcodec_receive_frame(context_.get(), frame.get());
      if (result == AVERROR(EAGAIN) || result == AVERROR_EOF) return;
      check(result);
      if (packet && frames == kMostFramesOfMessage) {
        throw Error(ErrorCode::corrupt,
                    fmt::format("the message has more than {} frames", kMostFramesOfMessage));
      }
      check_frame(*frame);
      on_frame(std::make_unique<DecodedFrame>(std::move(frame)));
    }
  }

  void check_frame(const AVFrame& frame) const {
    bool is_damaged = frame.decode_error_flags != 0 || (frame.flags & AV_FRAME_FLAG_CORRUPT) != 0;
    if (is_damaged) throw Error(ErrorCode::corrupt, "the frame is damaged");
    bool has_size = frame.width > 0 && frame.height > 0;
    auto pixels = has_size ? static_cast<std::uint64_t>(frame.width) *
                                 static_cast<std::uint64_t>(frame.height)
                           : 0;
    if (pixels == 0 || pixels > limits_.most_pixels) {
      throw Error(ErrorCode::limit, fmt::format("the frame of {} x {} pixels is too large",
                                                frame.width, frame.height));
    }
  }

  void check(int result) const {
    if (result >= 0) return;
    if (budget_->is_exceeded) {
      throw Error(ErrorCode::limit,
                  fmt::format("the frames that the video needs at a time are too large: they have "
                              "more than {} bytes",
                              budget_->most));
    }
    if (result == AVERROR(ENOMEM)) throw_no_memory();
    throw Error(ErrorCode::corrupt,
                fmt::format("the video cannot be decoded: {}", reason_of(result)));
  }

  VideoLimits limits_;
  BudgetPtr budget_;
  Parser parser_;
  Packet packet_;
  Context context_;
};

}  // namespace

std::unique_ptr<VideoDecoder> create_decoder(std::string_view format, const VideoLimits& limits) {
  // For the whole process: parts of libav ignore the level of a decoder, and what a stranger's
  // stream makes them print is in the Error.
  av_log_set_level(AV_LOG_QUIET);
  return std::make_unique<Decoder>(format, limits);
}

}  // namespace kitbag::libav
