#pragma once

#include "kitbag/codec.h"

namespace kitbag::protobuf {

/// Protocol Buffers: a schema is a serialized FileDescriptorSet with all that the message needs
/// (https://mcap.dev/spec/registry#protobuf). What the types of other worlds are, as far as
/// protobuf has no word for it (uint8, lists of a fixed length), stands in an option of the field,
/// so that it is there on the way back.
Language language();

/// Of google.protobuf.FieldOptions: the type as kitbag has it, and what it was in the world that it
/// comes from, where that is another word or name: "uint8[3]", "int8 byte ", "int8? byte Level".
inline constexpr int kTypeOption = 50317;
/// Of google.protobuf.MessageOptions: a constant, the word for its type and its name there, and its
/// value: "int8 DEBUG=byte=1", "uint8 A= a=1".
inline constexpr int kConstantOption = 50318;

}  // namespace kitbag::protobuf
