#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <tuple>
#include <vector>

#include "kitbag/time.h"
#include "video/libav/av.h"

namespace kitbag::libav {

/// A frame of a stream.
struct CodedFrame {
  Packet packet;
  Time time{};             ///< of its message
  std::int64_t order = 0;  ///< frames of a sequence are shown in this order
  bool begins_sequence = false;
  std::size_t shown = 0;  ///< its place among those of its group as they are shown
};

/// Frames that are decoded one after the other and shown one after the other, in the order of
/// decoding.
using OnGroup = std::function<void(std::vector<CodedFrame>& group)>;

/// Finds out in which order the frames of H.264 and H.265 are shown. One thread.
class ShownOrder {
 public:
  explicit ShownOrder(OnGroup on_group) : on_group_(std::move(on_group)) {}

  /// Adds the next frame in the order of decoding.
  void add(CodedFrame frame);
  /// No frame comes any more.
  void end();

 private:
  void show_first();
  void give_groups();

  using Place = std::tuple<std::uint64_t, std::int64_t, std::uint64_t>;

  OnGroup on_group_;
  std::deque<CodedFrame> frames_;
  std::set<Place> waiting_;  ///< sequence, order and number of frames that are not shown yet
  std::deque<std::uint64_t> shown_at_;  ///< by frame; kNotYet
  std::uint64_t first_ = 0;             ///< number of frames_.front()
  std::uint64_t sequence_ = 0;
  std::uint64_t shown_ = 0;  ///< how many frames
};

}  // namespace kitbag::libav
