#include "value/path.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "kitbag/error.h"

// Paths of Value::get() and Message::field(). A path leads to one value here, and to many in
// payload/field_steps.h: `[]` for all elements is no step, nor is an index from the end. Steps are
// views of the path, because programs ask for a field of each message.

namespace kitbag {

std::vector<PathStep> steps_of(std::string_view path) {
  auto fail = [&] {
    throw Error(ErrorCode::invalid, fmt::format("invalid field path \"{}\"", path));
  };
  std::vector<PathStep> steps;
  for (std::size_t at = 0; at < path.size();) {
    if (path[at] == '[') {
      PathStep step;
      const char* end = path.data() + path.size();
      auto parsed = std::from_chars(path.data() + at + 1, end, step.index);
      if (parsed.ec != std::errc() || parsed.ptr == end || *parsed.ptr != ']') fail();
      at = static_cast<std::size_t>(parsed.ptr - path.data()) + 1;
      steps.push_back(step);
    } else {
      if (at > 0 && path[at++] != '.') fail();
      std::size_t end = std::min(path.find_first_of(".[", at), path.size());
      if (end == at) fail();
      steps.push_back({path.substr(at, end - at)});
      at = end;
    }
  }
  return steps;
}

std::string path_of(const std::vector<PathStep>& steps, std::size_t count) {
  std::string path;
  for (std::size_t i = 0; i < count; ++i) {
    const PathStep& step = steps[i];
    if (step.name.empty()) {
      path += fmt::format("[{}]", step.index);
    } else {
      path += fmt::format("{}{}", path.empty() ? "" : ".", step.name);
    }
  }
  return path;
}

}  // namespace kitbag
