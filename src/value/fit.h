#pragma once

#include <string>

namespace kitbag {

/// `sentence`, which may begin with the path of a field (".x: expected ..."), of what stands at
/// `path`.
std::string under(const std::string& path, const std::string& sentence);

}  // namespace kitbag
