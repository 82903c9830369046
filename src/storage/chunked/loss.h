#pragma once

#include <optional>
#include <string>

#include "kitbag/error.h"

namespace kitbag {

/// "3 messages are lost": a loss in words for people.
std::string describe(const std::optional<Loss>& loss);

}  // namespace kitbag
