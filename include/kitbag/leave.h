#pragma once

#include <functional>
#include <list>

#include "kitbag/export.h"

namespace kitbag {

/// Where a process that was asked to stop is too busy to unwind, it can end at once and still leave
/// everything as it was: whatever has to be undone then is told here. Like atexit(3), that is a
/// matter of the process, so there is one such list.

/// While it lives, leave() calls `undo` before it ends the process, on the thread of leave(). The
/// thread that owns it runs on meanwhile, until it destroys it, which does not return any more.
class KITBAG_API OnLeave {
 public:
  explicit OnLeave(std::function<void()> undo);
  ~OnLeave();
  OnLeave(const OnLeave&) = delete;
  OnLeave& operator=(const OnLeave&) = delete;

 private:
  std::list<std::function<void()>>::iterator place_;
};

/// While it lives, something is changed where it lies and can only be completed, or taken back, by
/// who does it.
class KITBAG_API NoLeave {
 public:
  NoLeave();
  ~NoLeave();
  NoLeave(const NoLeave&) = delete;
  NoLeave& operator=(const NoLeave&) = delete;
};

enum class Leave {
  if_harmless,  ///< not while there is a NoLeave
  always,
};

/// Ends the process with the exit code `code`; what was made last is undone first. Returns where
/// it must not be left. From any thread.
KITBAG_API void leave(int code, Leave when) noexcept;

}  // namespace kitbag
