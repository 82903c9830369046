#pragma once

#include <functional>
#include <list>

#include "kitbag/export.h"

namespace kitbag {

/// How to end a process that was asked to stop but is too busy to unwind. leave() ends it at once
/// and still leaves files as they were: everything that must then be undone is registered here.
/// Like atexit(3), this belongs to the process, so there is one list per process.

/// Registers `undo` while this object lives. leave() calls it, on its own thread, before it ends
/// the process. The thread that owns this object continues meanwhile; if it destroys the object,
/// the destructor does not return.
class KITBAG_API OnLeave {
 public:
  /// `undo` may run on another thread, once.
  explicit OnLeave(std::function<void()> undo);
  ~OnLeave();
  OnLeave(const OnLeave&) = delete;
  OnLeave& operator=(const OnLeave&) = delete;

 private:
  std::list<std::function<void()>>::iterator place_;
};

/// While this object lives, something is being changed in place that only its owner can complete or
/// undo. It prevents leave() with Leave::if_harmless.
class KITBAG_API NoLeave {
 public:
  NoLeave();
  ~NoLeave();
  NoLeave(const NoLeave&) = delete;
  NoLeave& operator=(const NoLeave&) = delete;
};

/// When leave() may end the process.
enum class Leave {
  if_harmless,  ///< not while a NoLeave exists
  always,       ///< even then
};

/// Calls what is registered, the newest first, and ends the process with the exit code `code`.
/// Returns only if `when` does not allow it. Exceptions of `undo` functions are ignored. From any
/// thread.
KITBAG_API void leave(int code, Leave when) noexcept;

}  // namespace kitbag
