#pragma once

#include <string>

#include "kitbag/bag.h"
#include "kitbag/error.h"
#include "kitbag/session.h"

namespace kitbag {

/// What is wrong with the definitions of `bag`, for channels whose encoding goes with a language of
/// which every bag has them (DefinitionFiles::are_in_every_bag): none where there should be one, a
/// fingerprint that is not the text's, a text that does not parse or lacks a nested type, two
/// different definitions under one fingerprint. `path` names the bag in what is found.
void check_definitions(const Bag& bag, const std::string& path, const OnProblem& on_finding,
                       const Session& session);

}  // namespace kitbag
