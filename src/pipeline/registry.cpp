#include "kitbag/open.h"
#include "storage/rosbag/format.h"

namespace kitbag {

Registry standard_registry() {
  return {{rosbag_format()}};
}

}  // namespace kitbag
