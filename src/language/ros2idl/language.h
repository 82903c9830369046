#pragma once

#include "kitbag/codec.h"

namespace kitbag::ros2idl {

/// OMG IDL 4.2 as ROS 2 and DDS use it: modules, structures with inheritance, enumerations, bit
/// masks, unions, type definitions, constants, annotations. A bag's text holds one file or several,
/// each behind a separator and `IDL: package/msg/Type`. Known as "omgidl" too, where what has no
/// annotation is appendable, as XTypes 1.3 has it.
Language language();

}  // namespace kitbag::ros2idl
