#include "kitbag/open.h"
#include "storage/directory/format.h"
#include "storage/mcap/format.h"
#include "storage/packed/format.h"
#include "storage/rosbag/format.h"
#include "storage/sqlite3/format.h"

namespace kitbag {

Registry standard_registry() {
  return {{rosbag_format(), mcap_format(), sqlite3_format(), directory_format(), packed_format()}};
}

}  // namespace kitbag
