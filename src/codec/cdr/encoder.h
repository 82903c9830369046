#pragma once

#include <memory>

#include "kitbag/codec.h"

namespace kitbag::cdr {

/// Throws Error (unsupported) for types that CDR does not have.
std::unique_ptr<kitbag::Encoder> make_encoder(const TypePtr& type);

}  // namespace kitbag::cdr
