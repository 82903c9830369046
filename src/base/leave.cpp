#include "kitbag/leave.h"

#include <cstdlib>
#include <mutex>

// The process ends while its threads run on. Whatever they touch must stay there, so nothing is
// destroyed: the list is never freed, and std::_Exit() calls neither destructors nor functions of
// atexit(). The lock is kept to the end. A thread that has finished its file meanwhile waits in the
// destructor of its OnLeave and cannot go on to rename a file that is being removed.

namespace kitbag {
namespace {

struct Undoings {
  std::mutex mutex;
  std::list<std::function<void()>> all;  ///< the last one first
  int obstacles = 0;
};

/// Never destroyed: other threads may still use it when the process ends.
Undoings& undoings() {
  static auto* const kept = new Undoings;
  return *kept;
}

}  // namespace

OnLeave::OnLeave(std::function<void()> undo) {
  Undoings& kept = undoings();
  std::lock_guard lock(kept.mutex);
  place_ = kept.all.insert(kept.all.begin(), std::move(undo));
}

OnLeave::~OnLeave() {
  Undoings& kept = undoings();
  std::lock_guard lock(kept.mutex);
  kept.all.erase(place_);
}

NoLeave::NoLeave() {
  Undoings& kept = undoings();
  std::lock_guard lock(kept.mutex);
  ++kept.obstacles;
}

NoLeave::~NoLeave() {
  Undoings& kept = undoings();
  std::lock_guard lock(kept.mutex);
  --kept.obstacles;
}

void leave(int code, Leave when) noexcept {
  Undoings& kept = undoings();
  // Held to the end, so that nobody uses what is being undone.
  std::unique_lock lock(kept.mutex);
  if (when == Leave::if_harmless && kept.obstacles > 0) return;
  for (const auto& undo : kept.all) {
    try {
      undo();
    } catch (...) {
      // The others are undone all the same.
    }
  }
  std::_Exit(code);
}

}  // namespace kitbag
