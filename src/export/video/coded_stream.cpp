#include "export/video/coded_stream.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/video.h"

// A stream is passed on without being decoded. But a container says how large its frames are and
// which colours they have, so the key frame at the beginning is decoded once.

namespace kitbag::libav {
namespace {

constexpr std::size_t kMostFrameBytes = 1 << 30;
constexpr std::int64_t kMostPixels = 64 << 20;

AVCodecID codec_id(std::string_view format) {
  if (format == "h264") return AV_CODEC_ID_H264;
  if (format == "h265") return AV_CODEC_ID_HEVC;
  return format == "vp9" ? AV_CODEC_ID_VP9 : AV_CODEC_ID_AV1;
}

Packet packet_of(const EncodedFrame& frame) {
  if (frame.data.size() > kMostFrameBytes) {
    throw Error(ErrorCode::limit,
                fmt::format("the frame is too large: it has {} bytes", frame.data.size()));
  }
  Packet packet(av_packet_alloc());
  if (!packet || av_new_packet(packet.get(), static_cast<int>(frame.data.size())) < 0) {
    throw_no_memory();
  }
  std::memcpy(packet->data, frame.data.data(), frame.data.size());
  return packet;
}

/// Where the first unit with a part of a picture begins, or null.
const std::byte* first_picture(const EncodedFrame& frame) {
  bool is_h264 = frame.format == "h264";
  const std::vector<std::byte>& data = frame.data;
  for (std::size_t i = 0; i + 3 < data.size(); ++i) {
    bool is_start =
        data[i] == std::byte{0} && data[i + 1] == std::byte{0} && data[i + 2] == std::byte{1};
    if (!is_start) continue;
    unsigned header = std::to_integer<unsigned>(data[i + 3]);
    unsigned type = is_h264 ? header & 31 : (header >> 1) & 63;
    bool is_picture = is_h264 ? type >= 1 && type <= 5 : type < 32;
    if (is_picture) return &data[i + 3];
  }
  return nullptr;
}

/// Whether a decoder may begin here, and whether the order of frames is counted anew.
struct Beginning {
  bool is_key = false;
  bool begins_sequence = false;
};

Beginning beginning_of(const EncodedFrame& frame) {
  if (frame.format != "h264" && frame.format != "h265") {
    bool is_key = is_key_frame(frame.format, frame.data);
    return {is_key, is_key};
  }
  const std::byte* picture = first_picture(frame);
  if (!picture) return {};
  unsigned header = std::to_integer<unsigned>(*picture);
  if (frame.format == "h264") return {(header & 31) == 5, (header & 31) == 5};
  constexpr unsigned kFirst = 16;        // BLA, IDR
  constexpr unsigned kCleanAccess = 21;  // CRA goes on counting
  unsigned type = (header >> 1) & 63;
  return {type >= kFirst && type <= kCleanAccess, type >= kFirst && type < kCleanAccess};
}

}  // namespace

void check_units(const EncodedFrame& frame) {
  constexpr unsigned kMostSizeBits = 56;
  const std::vector<std::byte>& data = frame.data;
  if (data.empty()) throw Error(ErrorCode::corrupt, "the frame is empty: it has no data");
  if (frame.format != "av1") return;
  for (std::size_t at = 0; at < data.size();) {
    unsigned header = std::to_integer<unsigned>(data[at]);
    bool has_size = (header & 2) != 0;
    at += (header & 4) != 0 ? 2 : 1;
    std::uint64_t size = 0;
    bool is_last = !has_size;
    for (unsigned shift = 0; !is_last && shift <= kMostSizeBits && at < data.size(); shift += 7) {
      unsigned byte = std::to_integer<unsigned>(data[at++]);
      size |= std::uint64_t{byte & 127} << shift;
      is_last = (byte & 128) == 0;
    }
    // The first bit of a unit is always 0.
    bool is_valid = header < 128 && is_last && at <= data.size() && size <= data.size() - at;
    if (!is_valid)
      throw Error(ErrorCode::corrupt, "the units of the AV1 frame contradict its size");
    if (!has_size) return;
    at += static_cast<std::size_t>(size);
  }
}

ParameterSets parameter_sets_of(const EncodedFrame& key) {
  const AVBitStreamFilter* kind = av_bsf_get_by_name("extract_extradata");
  AVBSFContext* made = nullptr;
  // VP9 has no parameters apart from its frames.
  if (!kind || key.format == "vp9") return {};
  if (av_bsf_alloc(kind, &made) < 0) throw_no_memory();
  Filter filter(made);
  filter->par_in->codec_type = AVMEDIA_TYPE_VIDEO;
  filter->par_in->codec_id = codec_id(key.format);
  Packet packet = packet_of(key);
  int result = av_bsf_init(filter.get());
  if (result >= 0) result = av_bsf_send_packet(filter.get(), packet.get());
  if (result >= 0) result = av_bsf_receive_packet(filter.get(), packet.get());
  if (result == AVERROR(ENOMEM)) throw_no_memory();
  std::size_t bytes = 0;
  const std::uint8_t* sets =
      result < 0 ? nullptr
                 : av_packet_get_side_data(packet.get(), AV_PKT_DATA_NEW_EXTRADATA, &bytes);
  if (!sets) {
    throw Error(ErrorCode::corrupt,
                "the key frame of the video lacks the parameters of its stream");
  }
  return {sets, sets + bytes};
}

Parameters parameters_of(const EncodedFrame& key, const ParameterSets& sets) {
  const AVCodec* codec = avcodec_find_decoder(codec_id(key.format));
  if (!codec) {
    throw Error(ErrorCode::unsupported,
                fmt::format("the libavcodec of this machine has no decoder for {}", key.format));
  }
  Context context(avcodec_alloc_context3(codec));
  Frame frame(av_frame_alloc());
  Parameters parameters(avcodec_parameters_alloc());
  if (!context || !frame || !parameters) throw_no_memory();
  context->max_pixels = kMostPixels;
  context->thread_count = 1;
  Packet packet = packet_of(key);
  int result = avcodec_open2(context.get(), codec, nullptr);
  if (result >= 0) result = avcodec_send_packet(context.get(), packet.get());
  // With the end behind it, the decoder gives the frame now.
  if (result >= 0) result = avcodec_send_packet(context.get(), nullptr);
  if (result >= 0) result = avcodec_receive_frame(context.get(), frame.get());
  if (result == AVERROR(ENOMEM)) throw_no_memory();
  if (result < 0) {
    throw Error(ErrorCode::corrupt,
                fmt::format("the key frame of the video cannot be decoded: {}", reason_of(result)));
  }
  if (avcodec_parameters_from_context(parameters.get(), context.get()) < 0) throw_no_memory();
  parameters->format = frame->format;
  parameters->width = frame->width;
  parameters->height = frame->height;
  parameters->codec_tag = 0;
  // As the stream has them, and not as the decoder keeps them.
  av_freep(&parameters->extradata);
  parameters->extradata_size = 0;
  if (sets.empty()) return parameters;
  auto* copy = static_cast<std::uint8_t*>(av_mallocz(sets.size() + AV_INPUT_BUFFER_PADDING_SIZE));
  if (!copy) throw_no_memory();
  std::memcpy(copy, sets.data(), sets.size());
  parameters->extradata = copy;
  parameters->extradata_size = static_cast<int>(sets.size());
  return parameters;
}

CodedStream::CodedStream(std::string format)
    : format_(std::move(format)),
      parser_(av_parser_init(codec_id(format_))),
      context_(avcodec_alloc_context3(nullptr)) {
  if (!parser_ || !context_) throw_no_memory();
  context_->codec_type = AVMEDIA_TYPE_VIDEO;
  context_->codec_id = codec_id(format_);
  parser_->flags |= PARSER_FLAG_COMPLETE_FRAMES;
}

CodedFrame CodedStream::frame_of(const EncodedFrame& frame, Time time) {
  CodedFrame coded{.packet = packet_of(frame), .time = time};
  Beginning beginning = beginning_of(frame);
  if (beginning.is_key) coded.packet->flags |= AV_PKT_FLAG_KEY;
  coded.begins_sequence = beginning.begins_sequence;
  if (!may_be_reordered()) return coded;
  std::uint8_t* parsed = nullptr;
  int parsed_bytes = 0;
  av_parser_parse2(parser_.get(), context_.get(), &parsed, &parsed_bytes, coded.packet->data,
                   coded.packet->size, AV_NOPTS_VALUE, AV_NOPTS_VALUE, -1);
  // Its place in the order of showing, within its sequence.
  coded.order = parser_->output_picture_number;
  return coded;
}

}  // namespace kitbag::libav
