#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kitbag/stream.h"

namespace kitbag {

/// A folder under which message definitions lie. `package/Type` is looked for as
/// PATH/package/msg/Type.msg, PATH/package/Type.msg, PATH/share/package/msg/Type.msg; where PATH is
/// the package's own folder as PATH/msg/Type.msg, and where it is that `msg` as PATH/Type.msg.
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
    agreed,   ///< taken: its MD5 sum is the bag's
    assumed,  ///< taken, though the bag does not say which one it was made with (MD5 sum "*")
    refused,  ///< found, but with another MD5 sum
    missing,  ///< not found, or a type that it needs was not
  };
  Outcome outcome = Outcome::missing;
  std::string type;
  std::string md5sum;  ///< the bag's
  std::string path;    ///< of the file; empty: none was found
  std::string text;    ///< one line for people
};

/// Called once a type and MD5 sum, when a channel of it first passes.
using OnDefinition = std::function<void(const DefinitionNews&)>;

/// Gives ROS 1 channels without a definition the one that lies in `paths`, with all that it needs,
/// if its MD5 sum is the channel's `md5sum`, or if that is "*"; then `md5sum` becomes the computed
/// one. An MD5 sum as ROS computed it before 2009 agrees too: `md5sum` becomes today's, and
/// `original_md5sum` keeps the old one. Nothing is found: the channel stays as it is. Messages are
/// not touched. Types that were renamed since are found under their new names.
KITBAG_API std::unique_ptr<Stage> define(DefinitionPaths paths, OnDefinition on_definition = {});

}  // namespace kitbag
