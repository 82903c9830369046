#pragma once

#include <dds/dds.h>

#include "kitbag/time.h"
#include "transport/ros2/entity.h"

namespace kitbag::ros2 {

/// What one thread waits for: readers that have something, or wake().
class WaitSet {
 public:
  /// Throws Error (io), as watch() and wait() do.
  explicit WaitSet(dds_entity_t participant);

  /// A condition that ends wait() when the reader has something, as long as the condition lives.
  Entity watch(const Entity& reader) const;

  /// Returns whether there was something before `patience` was over.
  bool wait(Duration patience) const;
  /// Ends every wait() from now on. From any thread.
  void wake() { dds_set_guardcondition(awake_.get(), true); }

 private:
  Entity waiting_;
  Entity awake_;
};

}  // namespace kitbag::ros2
