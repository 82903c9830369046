#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "kitbag/codec.h"
#include "kitbag/time.h"

namespace kitbag::demo {

/// A ROS 1 payload that is being written.
class Payload {
 public:
  explicit Payload(Arena& arena) : arena_(arena) { arena.begin(); }

  template <class T>
  void put(T value) {
    std::memcpy(arena_.extend(sizeof value), &value, sizeof value);
  }
  void text(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    if (!text.empty()) std::memcpy(arena_.extend(text.size()), text.data(), text.size());
  }
  void count(std::size_t count) { put(static_cast<std::uint32_t>(count)); }
  std::byte* room(std::size_t bytes) { return arena_.extend(bytes); }
  void time(Time stamp) {
    std::int64_t ns = to_ns(stamp);
    put(static_cast<std::uint32_t>(ns / 1'000'000'000));
    put(static_cast<std::uint32_t>(ns % 1'000'000'000));
  }
  void header(std::uint64_t index, Time stamp, std::string_view frame) {
    put(static_cast<std::uint32_t>(index));
    time(stamp);
    text(frame);
  }
  void vector(double x, double y, double z) {
    put(x);
    put(y);
    put(z);
  }
  /// A turn around the vertical.
  void heading(double heading) {
    vector(0, 0, std::sin(heading / 2));
    put(std::cos(heading / 2));
  }
  /// A square matrix with that on its diagonal.
  void diagonal(std::size_t size, double value) {
    for (std::size_t i = 0; i < size * size; ++i) put(i % (size + 1) == 0 ? value : 0.0);
  }
  ByteView end() { return arena_.end(); }

 private:
  Arena& arena_;
};

}  // namespace kitbag::demo
