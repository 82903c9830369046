#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "kitbag/codec.h"

namespace kitbag {

/// A definition that is part of kitbag.
struct StandardDefinition {
  std::size_t number;        ///< of the release of ROS: its definitions belong together
  std::string_view release;  ///< "ROS 2 Humble"
  std::string_view text;
};

/// The versions of the definition at that place in the language of that name, with the one first
/// that a bag without fingerprints probably has. Valid forever; any thread.
const std::vector<StandardDefinition>& standard_definitions(std::string_view language,
                                                            const DefinitionPlace& place);

}  // namespace kitbag
