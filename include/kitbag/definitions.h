#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kitbag/session.h"
#include "kitbag/stream.h"

namespace kitbag {

/// A folder under which message definitions lie. `package/Type` is looked for as
/// PATH/package/msg/Type.msg, PATH/package/Type.msg, PATH/share/package/msg/Type.msg; where PATH is
/// the package's own folder as PATH/msg/Type.msg, and where it is that `msg` as PATH/Type.msg. The
/// messages of services and actions, `package/srv/Type_Event`, are derived from Type.srv and
/// Type.action, which lie likewise.
struct DefinitionFolder {
  std::string path;
  /// How many folders down a package's own folder may lie besides; 0: only as above.
  unsigned levels = 0;
};

/// Where to look, in this order.
using DefinitionPaths = std::vector<DefinitionFolder>;

/// What the environment says; each a list with ':' between, empty where it is not set.
struct DefinitionEnvironment {
  std::string kitbag_definitions;  ///< KITBAG_DEFINITIONS
  std::string ros_package_path;    ///< ROS_PACKAGE_PATH: packages lie a few folders down
  std::string ament_prefix_path;   ///< AMENT_PREFIX_PATH
};

/// `folders` first, then KITBAG_DEFINITIONS, ROS_PACKAGE_PATH, AMENT_PREFIX_PATH and /usr/share.
/// Throws Error (not_found) if one of `folders` is none; of the others what is not there is passed
/// over.
KITBAG_API DefinitionPaths definition_paths(const std::vector<std::string>& folders,
                                            const DefinitionEnvironment& environment);

/// What came of the search for a definition that a bag does not hold.
struct DefinitionNews {
  enum class Outcome {
    agreed,   ///< taken: its fingerprint is the bag's
    assumed,  ///< taken, though the bag does not say which one it was made with (it says "*", or
              ///< nothing)
    refused,  ///< found, but with another fingerprint
    missing,  ///< not found, or a type that it needs was not
  };
  Outcome outcome = Outcome::missing;
  std::string type;
  std::string fingerprint;  ///< the bag's: an MD5 sum, a type hash; "*": it does not say
  std::string path;         ///< of the file; empty: none was found
  std::string text;         ///< one line for people
};

/// Called once a type and fingerprint, when a channel of it first passes.
using OnDefinition = std::function<void(const DefinitionNews&)>;

/// Gives channels whose bag names a type but holds no definition of it the one that lies in
/// `paths`, with all that it needs, if its fingerprint (Language::files: the MD5 sum of ROS 1, the
/// type hash of ROS 2) is the channel's, or if that is not known; then the channel gets the
/// computed one. An MD5 sum as ROS computed it before 2009 agrees too: `md5sum` becomes today's,
/// and `original_md5sum` keeps the old one. Nothing is found: the channel stays as it is. Messages
/// are not touched. Types that were renamed since are found under their new names.
KITBAG_API std::unique_ptr<Stage> define(DefinitionPaths paths, const Session& session,
                                         OnDefinition on_definition = {});

}  // namespace kitbag
