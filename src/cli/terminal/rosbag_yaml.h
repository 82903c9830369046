#pragma once

#include <string>

#include "kitbag/bag.h"
#include "kitbag/bag_info.h"

namespace kitbag::cli {

/// What `rosbag info --yaml` prints of the bag, with its keys, without frequencies. With `key`, the
/// value of this key alone. Throws Error: not_found if there is no such key; io.
std::string rosbag_yaml(const BagInfo& info, const Bag& bag, const std::string& key);

}  // namespace kitbag::cli
