#pragma once

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
};

using Muxer = std::unique_ptr<AVFormatContext, EndOfFile>;
using Filter = std::unique_ptr<AVBSFContext, EndOfFile>;

}  // namespace kitbag::libav
