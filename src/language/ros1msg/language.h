#pragma once

#include "kitbag/codec.h"

namespace kitbag::ros1msg {

/// Message definitions of ROS 1.
Language language();

}  // namespace kitbag::ros1msg
