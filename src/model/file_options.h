#pragma once

#include "io/output/output_options.h"
#include "kitbag/bag.h"

namespace kitbag {

/// What WriteOptions say of the file itself.
inline OutputOptions file_options(const WriteOptions& options) {
  return {.io = options.io,
          .is_visible = options.is_visible,
          .may_replace = options.may_replace,
          .on_warning = options.on_warning};
}

}  // namespace kitbag
