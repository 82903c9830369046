#include "video/libav/budget.h"

#include <cerrno>
#include <new>

// A stream says how many frames its decoder has to keep, so each may be within its limit and all
// together gigabytes. libav asks for the memory of each frame by get_buffer2, and ends its last
// reference to it when it is free. A reference of ours around the first buffer of a frame notices:
//
//     frame->buf[0] -> Counted -> libav's own buffer
//
// Libraries with memory of their own, such as dav1d, do not come by here.

namespace kitbag::libav {
namespace {

struct Counted {
  BudgetPtr budget;
  Buffer buffer;
  std::uint64_t bytes = 0;
};

void end_counted(void* opaque, std::uint8_t*) {
  std::unique_ptr<Counted> counted(static_cast<Counted*>(opaque));
  counted->budget->held -= counted->bytes;
}

/// Puts a reference around the first buffer of the frame that ends when the frame does.
bool count(const BudgetPtr& budget, std::uint64_t bytes, AVFrame* frame) {
  std::unique_ptr<Counted> counted(new (std::nothrow)
                                       Counted{budget, Buffer(frame->buf[0]), bytes});
  if (!counted) return false;
  AVBufferRef* inner = counted->buffer.get();
  frame->buf[0] = av_buffer_create(inner->data, inner->size, end_counted, counted.get(), 0);
  if (!frame->buf[0]) return false;
  counted.release();  // NOLINT(bugprone-unused-return-value): end_counted() has it now
  budget->held += bytes;
  return true;
}

}  // namespace

int get_counted_buffer(const BudgetPtr& budget, AVCodecContext* context, AVFrame* frame,
                       int flags) {
  constexpr int kAlignment = 64;
  int bytes = av_image_get_buffer_size(static_cast<AVPixelFormat>(frame->format), frame->width,
                                       frame->height, kAlignment);
  if (bytes < 0) return bytes;
  auto added = static_cast<std::uint64_t>(bytes);
  if (budget->held + added > budget->most) {
    budget->is_exceeded = true;
    return AVERROR(ENOMEM);
  }
  int result = avcodec_default_get_buffer2(context, frame, flags);
  if (result < 0) return result;
  if (count(budget, added, frame)) return result;
  av_frame_unref(frame);
  return AVERROR(ENOMEM);
}

}  // namespace kitbag::libav
