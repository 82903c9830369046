#pragma once

#include <memory>
#include <string>

#include "kitbag/definitions.h"
#include "kitbag/message.h"
#include "kitbag/session.h"

namespace kitbag {

/// A channel without a topic for messages of `type`, "package/Type" in any way that ROS writes it,
/// with its definition from `paths` and the metadata that goes with it. The encoding is that of the
/// language in which the definition is found first: "ros1" or "cdr". `encoding` is the one whose
/// definitions are preferred. Throws Error: not_found, and as DefinitionLibrary::find() does.
std::shared_ptr<Channel> named_channel(const std::string& type, const std::string& encoding,
                                       const DefinitionPaths& paths, const Session& session);

}  // namespace kitbag
