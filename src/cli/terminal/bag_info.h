#pragma once

#include <string>

#include "kitbag/bag_info.h"

namespace kitbag::cli {

/// For people: a block of facts and a table by topic. `is_terminal`: headings may be bold.
std::string info_text(const BagInfo& info, bool is_terminal);

}  // namespace kitbag::cli
