#pragma once

#include <dds/ddsi/ddsi_sertype.h>

#include "transport/ros2/services/reply_marks.h"

namespace kitbag::ros2 {

/// Has the connections of Cyclone DDS send replies with their marks. Any thread; of all domains of
/// this process.
class MarkedSending {
 public:
  /// Prepares the domain of a topic's type. False: it sends in a way that takes no marks.
  static bool prepare(const ddsi_sertype* type);
  /// The reply that will have that number is sent with the mark, for kMarkLife.
  static void add(const ReplyMark& mark);
};

}  // namespace kitbag::ros2
