#include "kitbag/open.h"
#include "storage/mcap/format.h"
#include "storage/rosbag/format.h"
#include "storage/sqlite3/format.h"

namespace kitbag {

Registry standard_registry() {
  return {{rosbag_format(), mcap_format(), sqlite3_format()}};
}

}  // namespace kitbag
