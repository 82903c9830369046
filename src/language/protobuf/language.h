#pragma once

#include "kitbag/codec.h"

namespace kitbag::protobuf {

/// Protocol Buffers: a schema is a serialized FileDescriptorSet with all that the message needs
/// (https://mcap.dev/spec/registry#protobuf). What the types of other worlds are, as far as protobuf
/// has no word for it (uint8, lists of a fixed length), stands in an option of the field, so that it
/// is there on the way back.
Language language();

/// Of google.protobuf.FieldOptions: the type as kitbag has it, "uint8[3]".
inline constexpr int kTypeOption = 50317;
/// Of google.protobuf.MessageOptions: a constant, "uint8 DEBUG=1".
inline constexpr int kConstantOption = 50318;

}  // namespace kitbag::protobuf
