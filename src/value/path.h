#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kitbag {

/// A step of a path: to a field, or to an element.
struct PathStep {
  std::string_view name = {};  ///< empty: an element
  std::size_t index = 0;
};

/// The steps of "pose.covariance[3]"; they refer to `path`. Throws Error (invalid).
std::vector<PathStep> steps_of(std::string_view path);

/// "pose.covariance[3]" of the first `count` steps.
std::string path_of(const std::vector<PathStep>& steps, std::size_t count);

}  // namespace kitbag
