#pragma once

#include "kitbag/error.h"

namespace kitbag {

/// What Writer::commit() throws where there is nothing to commit.
inline Error not_reserved() {
  return {ErrorCode::invalid,
          "commit of a message that was not reserved, or is longer than reserved"};
}

}  // namespace kitbag
