#pragma once

#include <cstdint>
#include <vector>

#include "kitbag/message.h"

namespace kitbag {

/// The last message of each latched channel that came while a recording was paused. It is stored
/// when the recording goes on, because it is the state of the system then.
class PausedState {
 public:
  /// Keeps what is latched in a batch.
  void keep(const Batch& batch);
  bool empty() const { return kept_.empty(); }
  /// What is kept, in order; nothing is kept then.
  Batch take();

 private:
  bool is_kept(const Message& message);

  enum class Kind : std::uint8_t { unknown, latched, other };

  Batch kept_;
  std::vector<Kind> kinds_;  ///< by slot
};

}  // namespace kitbag
