#pragma once

#include <cstdint>
#include <optional>

#include "export/video/container.h"
#include "kitbag/file_system.h"
#include "kitbag/time.h"

namespace kitbag::libav {

/// The times of messages as ticks of a file: the first frame has 0, and each one comes later than
/// the one before it. A table beside the file has the times themselves.
class FrameTimes {
 public:
  /// `table`: lines "frame,seconds,time_ns"; null: there is none. It has to outlive this.
  FrameTimes(Container container, WriteFile* table);

  /// Returns the ticks of the next frame, as frames are shown. Throws Error: unsupported if the
  /// container cannot hold such a pause.
  std::int64_t next(Time time);

  std::uint64_t count() const { return count_; }
  /// How many are shown later than their messages say, since those come with or before the one
  /// before.
  std::uint64_t moved() const { return moved_; }

 private:
  Ticks ticks_;
  WriteFile* table_;
  std::optional<Time> first_ = std::nullopt;
  std::int64_t last_ = 0;
  Time latest_{};
  std::uint64_t count_ = 0;
  std::uint64_t moved_ = 0;
};

}  // namespace kitbag::libav
