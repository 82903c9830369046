#pragma once

#include <string>

#include "kitbag/bag.h"
#include "kitbag/error.h"
#include "kitbag/session.h"

namespace kitbag {

/// Checks the definitions of the channels of `bag` whose encoding belongs to a language with
/// definitions in every bag (DefinitionFiles::are_in_every_bag). Finds a missing definition, a
/// fingerprint that is not that of the text, a text that does not parse or lacks a nested type, and
/// two different definitions with one fingerprint. `path` names the bag in the findings.
void check_definitions(const Bag& bag, const std::string& path, const OnProblem& on_finding,
                       const Session& session);

}  // namespace kitbag
