#pragma once

#include <memory>

#include "kitbag/codec.h"

namespace kitbag::protobuf {

/// Throws Error (unsupported) for types that protobuf does not have.
std::unique_ptr<kitbag::Encoder> make_encoder(const TypePtr& type);

}  // namespace kitbag::protobuf
