#pragma once

// Names of other tools for options and verbs of ours: `kitbag record -b 1000000 -d 60`. Where the
// tools mean different things by one letter, it means what `ros2 bag` means by it.

#include <string>
#include <string_view>
#include <vector>

namespace kitbag::cli {

/// `words`, which begin with a verb of ours, with our names for options. Throws Error (invalid),
/// naming our way, for an option of another tool that kitbag does not have in this form.
std::vector<std::string> with_our_names(const std::vector<std::string>& words);

/// What to use for a verb of another tool; "" for an unknown verb.
std::string_view our_verb_for(std::string_view verb);

}  // namespace kitbag::cli
