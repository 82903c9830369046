#pragma once

#include <string>

#include "kitbag/type.h"

namespace kitbag::protobuf {

/// `type`, which adapt() gave, as a serialized FileDescriptorSet: a file for each message.
std::string print(const Type& type);

}  // namespace kitbag::protobuf
