#pragma once

#include <string>

#include "kitbag/error.h"

namespace kitbag::ros2 {

/// Calls `on_warning`, if there is one, with what cannot be done for `topic`.
inline void warn(const OnWarning& on_warning, const std::string& what, const std::string& topic) {
  if (on_warning) on_warning(Error(ErrorCode::unsupported, what, topic));
}

}  // namespace kitbag::ros2
