#pragma once

#include <memory>

#include "kitbag/codec.h"

namespace kitbag::ros1 {

/// Throws Error (unsupported) for types that ROS 1 does not have.
std::unique_ptr<kitbag::Encoder> make_encoder(const TypePtr& type);

}  // namespace kitbag::ros1
