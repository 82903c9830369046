#pragma once

#include <memory>

#include "kitbag/codec.h"

namespace kitbag::json {

std::unique_ptr<kitbag::Encoder> make_encoder(const CodecOptions& options);

}  // namespace kitbag::json
