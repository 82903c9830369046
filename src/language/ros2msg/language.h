#pragma once

#include "kitbag/codec.h"

namespace kitbag::ros2msg {

/// Interface definitions of ROS 2 in .msg, .srv and .action syntax
/// (https://docs.ros.org/en/rolling/Concepts/Basic/About-Interfaces.html), alone or in the form in
/// which bags hold them, with those of all nested types behind separators.
Language language();

}  // namespace kitbag::ros2msg
