#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "kitbag/type.h"

namespace kitbag::ros {

/// "====": 80 of them, as all write it; fewer mean nothing else.
bool is_separator(std::string_view line);

/// What stands in front of the definition of a nested message: a separator and "MSG: package/Type".
std::string nested_head(std::string_view name);

/// The text in which bags hold the definition of `root`: what `body` says of it, and behind that of
/// all messages that lie in it, depth first, each once. `are_times_messages`: what has the role of
/// a time or duration is a message too.
std::string whole_text(const Type& root, const std::function<std::string(const Type&)>& body,
                       bool are_times_messages);

}  // namespace kitbag::ros
