#pragma once

namespace kitbag {

/// Follows the name of a file that is being recorded, until the file is complete.
inline constexpr const char* kActiveSuffix = ".active";

}  // namespace kitbag
