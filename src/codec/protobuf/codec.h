#pragma once

#include "kitbag/codec.h"

namespace kitbag::protobuf {

/// Protocol Buffers (https://protobuf.dev/programming-guides/encoding/): fields by number in any
/// order, later ones in place of earlier; what the type does not know is passed over, and fields
/// that are not there have their default. Numbers of ROS that protobuf does not have are written as
/// the next wider one.
Codec codec();

}  // namespace kitbag::protobuf
