#include "kitbag/open.h"
#include "storage/mcap/format.h"
#include "storage/rosbag/format.h"

namespace kitbag {

Registry standard_registry() {
  return {{rosbag_format(), mcap_format()}};
}

}  // namespace kitbag
