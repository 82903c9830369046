#pragma once

#include <string>

#include "kitbag/registry.h"

namespace kitbag {

/// The bag of a file that ends before it says anything, as a recorder leaves it that dies at the
/// very start: one without messages. That is reported to options.on_problem.
BagPtr open_empty(const Input& input, std::string format, const ReadOptions& options);

}  // namespace kitbag
