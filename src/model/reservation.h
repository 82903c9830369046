#pragma once

#include "kitbag/error.h"

namespace kitbag {

/// What Writer::commit() throws where there is nothing to commit.
inline Error not_reserved() {
  return {ErrorCode::invalid, "a message was to be committed that was not reserved, or is longer"};
}

}  // namespace kitbag
