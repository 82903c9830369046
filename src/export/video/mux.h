#pragma once

#include <string>

#include "kitbag/error.h"
#include "video/libav/av.h"

extern "C" {
#include <libavcodec/bsf.h>
#include <libavformat/avformat.h>
#include <libavutil/mathematics.h>
#include <libavutil/opt.h>
}

// Owners of what libavformat gives.

namespace kitbag::libav {

struct EndOfFile {
  void operator()(AVFormatContext* context) const { avformat_free_context(context); }
  void operator()(AVBSFContext* filter) const { av_bsf_free(&filter); }
  void operator()(AVCodecParameters* parameters) const { avcodec_parameters_free(&parameters); }
};

using Muxer = std::unique_ptr<AVFormatContext, EndOfFile>;
using Filter = std::unique_ptr<AVBSFContext, EndOfFile>;
using Parameters = std::unique_ptr<AVCodecParameters, EndOfFile>;

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

}  // namespace kitbag::libav
