#pragma once

#include <optional>
#include <string>

#include "kitbag/error.h"

namespace kitbag {

/// "3 messages are lost": what a person is told of a loss.
std::string describe(const std::optional<Loss>& loss);

}  // namespace kitbag
