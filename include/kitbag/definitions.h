#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/session.h"
#include "kitbag/stream.h"

// Some bags name the types of their messages but do not contain the definitions. defined() finds
// the definitions in folders, or among the standard messages of ROS that are part of kitbag, and
// adds them to the channels. A definition is accepted only if its fingerprint is that of the bag,
// because a folder may hold another version of the type.
//
//   DefinitionPaths paths = definition_paths({"/data/msgs"}, {});
//   BagPtr bag = defined(session.open("old.bag"), paths, session);
//
// define() is the same as a stage, for sources of any kind.

namespace kitbag {

/// A folder that contains message definitions. The definition of `package/Type` is searched for at
///
///   PATH/package/msg/Type.msg, PATH/package/Type.msg, PATH/share/package/msg/Type.msg,
///   PATH/msg/Type.msg if PATH is the package's own folder,
///   PATH/Type.msg if PATH is the package's `msg` folder.
///
/// The messages of services and actions, such as `package/srv/Type_Event`, are derived from
/// Type.srv and Type.action, which are searched for in the same way.
struct DefinitionFolder {
  std::string path;  ///< a directory of this machine
  /// Also searches folders of packages up to this many levels below `path`; 0: only as above.
  unsigned levels = 0;
};

/// In place of a folder: the standard messages of ROS 1 and ROS 2, which are part of kitbag.
inline constexpr const char* kStandardDefinitions = "standard:";

/// Folders to search, in this order.
using DefinitionPaths = std::vector<DefinitionFolder>;

/// Values of environment variables: lists of folders separated by ':', empty if not set. The caller
/// provides them; the library does not read these variables.
struct DefinitionEnvironment {
  std::string kitbag_definitions;  ///< KITBAG_DEFINITIONS
  std::string ros_package_path;    ///< ROS_PACKAGE_PATH, with packages a few levels down
  std::string ament_prefix_path;   ///< AMENT_PREFIX_PATH
};

/// Returns the folders to search: `folders`, then those of KITBAG_DEFINITIONS, ROS_PACKAGE_PATH and
/// AMENT_PREFIX_PATH, then /usr/share and kStandardDefinitions. Throws Error (not_found) if one of
/// `folders` is not a directory; the others may be missing.
KITBAG_API DefinitionPaths definition_paths(const std::vector<std::string>& folders,
                                            const DefinitionEnvironment& environment);

/// The result of the search for a definition that a bag does not contain.
struct DefinitionNews {
  /// What became of the search.
  enum class Outcome {
    agreed,  ///< used: its fingerprint is that of the bag
    /// Used, although the bag has no fingerprint to compare it with (it has "*" or nothing).
    assumed,
    /// Found, but not used: it has another fingerprint, does not parse, or needs a type that was
    /// not found.
    refused,
    missing,  ///< not found
  };
  Outcome outcome = Outcome::missing;  ///< see Outcome
  std::string type;                    ///< full name of the type
  std::string fingerprint;  ///< that of the bag: an MD5 sum, a type hash; "*": it has none
  /// Path of the file, or a name of the standard definition for people; empty: none was found.
  std::string path;
  std::string release;  ///< of a standard definition: "ROS 2 Humble"; otherwise empty
  std::string text;     ///< one line for people
};

/// Called once per type and fingerprint, when the first channel with them passes.
using OnDefinition = std::function<void(const DefinitionNews&)>;

/// Returns a stage that adds missing definitions. If a channel names a type but has no definition,
/// the stage takes one from `paths`, with all nested types, provided that its fingerprint
/// (Language::files: MD5 sum of ROS 1, type hash of ROS 2) is that of the channel, or the channel
/// has none. The channel then has the computed fingerprint in its metadata. Types that were renamed
/// since are found under their new names.
///
/// An MD5 sum as ROS computed it before 2009 is accepted too: `md5sum` then becomes the current one
/// and `original_md5sum` keeps the old one.
///
/// If nothing is found, the channel stays unchanged. Messages are never changed.
KITBAG_API std::unique_ptr<Stage> define(DefinitionPaths paths, const Session& session,
                                         OnDefinition on_definition = {});

/// Returns `bag` with the definitions that it lacks, as define() adds them; `bag` itself if it
/// lacks none. `on_definition` is called before this function returns, and for a bag that comes
/// from a pipe while it is read.
KITBAG_API BagPtr defined(BagPtr bag, const DefinitionPaths& paths, const Session& session,
                          const OnDefinition& on_definition = {});

/// Returns a line for people about each release whose definitions were used although the bag has no
/// fingerprints (DefinitionNews::Outcome::assumed), and about each file that was used so.
KITBAG_API std::vector<std::string> describe_assumptions(const std::vector<DefinitionNews>& news);

}  // namespace kitbag
