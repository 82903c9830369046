#pragma once

#include "kitbag/registry.h"

namespace kitbag {

/// MCAP files.
Format mcap_format();

}  // namespace kitbag
