#pragma once

#include "kitbag/registry.h"

namespace kitbag {

/// Bags that are compressed as a whole, like `run.bag.gz` or `run_0.db3.zstd`: the recorder of 2009
/// could write them, rosbag2 does when asked, and people pack their old bags. A bag is read at many
/// places, a stream is not, so such a bag is unpacked into a temporary file first. It is a bag of
/// whatever format its content is.
Format packed_format();

}  // namespace kitbag
