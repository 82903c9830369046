#pragma once

#include <cstdint>
#include <memory>

#include "video/libav/av.h"

namespace kitbag::libav {

/// Memory of decoded frames, those that the codec refers to included. A stream decides itself how
/// many frames that are. One thread at a time.
struct Budget {
  std::uint64_t most = 0;
  std::uint64_t held = 0;
  bool is_exceeded = false;  ///< a frame was refused
};
using BudgetPtr = std::shared_ptr<Budget>;

/// As AVCodecContext::get_buffer2: gives `frame` memory within the budget, to which it counts until
/// the last reference to it is gone.
int get_counted_buffer(const BudgetPtr& budget, AVCodecContext* context, AVFrame* frame, int flags);

}  // namespace kitbag::libav
