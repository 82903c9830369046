#pragma once

#include <array>
#include <memory>
#include <string>

#include "kitbag/error.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/buffer.h>
#include <libavutil/dict.h>
#include <libavutil/error.h>
#include <libavutil/frame.h>
#include <libavutil/imgutils.h>
#include <libavutil/log.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

// Owners of what libav gives.

namespace kitbag::libav {

/// From so many rows on, colours are BT.709 where nothing is said, and BT.601 below.
inline constexpr unsigned kRowsOfHighDefinition = 720;

struct End {
  void operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
  void operator()(AVBufferRef* buffer) const { av_buffer_unref(&buffer); }
  void operator()(AVCodecParserContext* parser) const { av_parser_close(parser); }
  void operator()(SwsContext* scaler) const { sws_freeContext(scaler); }
  void operator()(AVCodecParameters* parameters) const { avcodec_parameters_free(&parameters); }
};

using Context = std::unique_ptr<AVCodecContext, End>;
using Frame = std::unique_ptr<AVFrame, End>;
using Packet = std::unique_ptr<AVPacket, End>;
using Buffer = std::unique_ptr<AVBufferRef, End>;
using Parser = std::unique_ptr<AVCodecParserContext, End>;
using Scaler = std::unique_ptr<SwsContext, End>;
using Parameters = std::unique_ptr<AVCodecParameters, End>;

[[noreturn]] inline void throw_no_memory() {
  throw Error(ErrorCode::limit, "there is no memory for the video");
}

/// Options for a call of libav.
class Dictionary {
 public:
  Dictionary() = default;
  ~Dictionary() { av_dict_free(&entries_); }
  Dictionary(const Dictionary&) = delete;
  Dictionary& operator=(const Dictionary&) = delete;

  void set(const char* name, const std::string& value) {
    av_dict_set(&entries_, name, value.c_str(), 0);
  }
  /// The call takes those that it knows away.
  AVDictionary** get() { return &entries_; }

 private:
  AVDictionary* entries_ = nullptr;
};

/// What libav says of a result below 0.
inline std::string reason_of(int result) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  av_strerror(result, text.data(), text.size());
  return text.data();
}

}  // namespace kitbag::libav
