#pragma once

#include "kitbag/codec.h"

namespace kitbag::ros1 {

/// ROS 1 serialization (https://wiki.ros.org/msg, section 2): fields in order, little-endian,
/// without padding; a u32 before texts and lists of any length. Wide text is UTF-8 here, optional
/// fields and unions are none of its world.
Codec codec();

}  // namespace kitbag::ros1
