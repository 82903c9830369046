#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "kitbag/type.h"

namespace kitbag::ros {

/// "====": writers use 80 of them; two or more are accepted.
bool is_separator(std::string_view line);

/// The lines before the definition of a nested message: a separator and "MSG: package/Type".
std::string nested_head(std::string_view name);

/// The definition of `root` as bags contain it: its own text, which `body` returns, followed by
/// those of all nested messages, depth first, each once. `are_times_messages`: types with the role
/// of a time or duration are messages too.
std::string whole_text(const Type& root, const std::function<std::string(const Type&)>& body,
                       bool are_times_messages);

}  // namespace kitbag::ros
