#pragma once

#include "kitbag/codec.h"

namespace kitbag::cdr {

/// CDR as DDS has it (RTPS 2.5, section 10; XTypes 1.3, section 7.4): payloads in all its forms are
/// read, both byte orders, XCDR1 and XCDR2, plain, delimited and parameter lists. Written is plain
/// little-endian XCDR1, or its parameter list where the type is one: what ROS 2 speaks.
Codec codec();

}  // namespace kitbag::cdr
