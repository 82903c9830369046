#pragma once

#include <string>

#include "kitbag/bag.h"
#include "kitbag/error.h"

namespace kitbag {

/// What is wrong with the definitions of the ROS 1 channels of `bag`: none where there should be
/// one, an MD5 sum that is not the text's, a text that does not parse or lacks a nested type, two
/// different definitions under one MD5 sum. `path` names the bag in what is found.
void check_definitions(const Bag& bag, const std::string& path, const OnProblem& on_finding);

}  // namespace kitbag
