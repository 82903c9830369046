#pragma once

namespace kitbag::arrow {

/// A struct of the Arrow C data interface that is released with its owner.
template <class Held>
class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { release(); }

  /// For a function that fills it. What it held is released.
  Held* get() {
    release();
    return &held_;
  }
  bool is_empty() const { return held_.release == nullptr; }
  const Held& operator*() const { return held_; }

 private:
  void release() {
    if (held_.release) held_.release(&held_);
  }

  Held held_{};
};

}  // namespace kitbag::arrow
