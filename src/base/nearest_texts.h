#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kitbag {

/// Returns those of `known` that look most like `text`, at most `most`, the nearest first: what a
/// person may have meant. Upper and lower case of ASCII letters are nearly the same. Texts that
/// have little in common with it are not returned.
std::vector<std::string> nearest_texts(std::string_view text, const std::vector<std::string>& known,
                                       std::size_t most);

}  // namespace kitbag
