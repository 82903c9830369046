#pragma once

#include <string>

#include "kitbag/codec.h"

namespace kitbag::ros1msg {

/// As DefinitionFiles::full_text, as gentools writes it: depth first, each once, under
/// `MSG: package/Type`.
std::string full_text(const std::string& name, const std::string& text, const FindText& find);

}  // namespace kitbag::ros1msg
