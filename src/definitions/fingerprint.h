#pragma once

#include <string>

#include "kitbag/codec.h"
#include "kitbag/message.h"

namespace kitbag {

/// What a ROS 1 bag says where the MD5 sum is not known; here, of every language.
inline constexpr const char* kAnyFingerprint = "*";

/// The fingerprint in the channel's metadata, hexadecimal digits in lower case; "*" if there is
/// none.
std::string fingerprint_of(const Channel& channel, const DefinitionFiles& files);

/// A channel whose bag holds no definition of its type. `files` are those of its schema's language.
/// A message without fields has an empty definition by right, if its fingerprint says so.
bool lacks_definition(const Channel& channel, const DefinitionFiles& files);

/// A ROS 1 bag may hold messages whose type nobody wrote down.
bool has_known_type(const Channel& channel);

}  // namespace kitbag
