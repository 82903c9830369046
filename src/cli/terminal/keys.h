#pragma once

#include <functional>
#include <optional>
#include <thread>

#include "kitbag/leave.h"

namespace kitbag::cli {

/// The keys of a terminal, one by one, while it lives: nothing where standard input is none, or
/// this program is not in its foreground.
class Keys {
 public:
  enum class Key { space, s, q, up, down, left, right, other };

  /// `on_key` is called on a thread of its own.
  explicit Keys(std::function<void(Key)> on_key);
  /// The terminal is as it was.
  ~Keys();
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;

  bool are_there() const { return thread_.joinable(); }

 private:
  void read();

  std::function<void(Key)> on_key_;
  int wake_ = -1;
  std::optional<OnLeave> on_leave_;
  std::thread thread_;
};

}  // namespace kitbag::cli
