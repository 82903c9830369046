#pragma once

#include "kitbag/error.h"

namespace kitbag {

/// True for what no passing over helps against: the system's refusal (io, busy), a stop that was
/// asked for, a key that is not to be had. Who passes over a payload, a type or a definition that
/// makes no sense throws such an error on.
inline bool is_final(ErrorCode code) {
  return code == ErrorCode::io || code == ErrorCode::cancelled || code == ErrorCode::locked ||
         code == ErrorCode::busy;
}

}  // namespace kitbag
