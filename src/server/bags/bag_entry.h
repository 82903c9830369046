#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kitbag/file_system.h"
#include "server/bags/damage_list.h"

namespace kitbag::server {

/// A bag as it was at some time. Never changes: another state is another object.
struct BagEntry {
  std::string name;  ///< unique; without ".active" of a recorder
  std::string path;
  std::string identity = {};  ///< the same one for all states of the bag, whatever its name is
  FileId id = {};             ///< of the file or folder
  /// Another one for each state of the content; letters, digits and "-". Of a bag of a catalog it
  /// is made of the content alone.
  std::string version;
  std::string state = {};  ///< of the file, as this server sees it; another one when it changes
  /// Stands for where the bag is in names of what was made of it: its path. Of a bag of a catalog
  /// nothing does, since its version says what it is.
  std::string place = {};
  std::int64_t number = 0;  ///< in the catalog; 0: it is of none
  std::uint64_t size_bytes = 0;
  Time modified{};            ///< as this server sees it
  Time dated{};               ///< when the content was made, for clients
  bool is_folder = false;     ///< a directory of rosbag2
  bool may_grow = false;      ///< its writer has not completed it, whether it is alive or not
  bool is_recording = false;  ///< its writer has not completed it, and seems to be alive
  /// Links in a directory that lead out of this folder are not followed; empty: there is none, as
  /// in a remote place.
  std::string root = {};
  /// A link in the directory that does, by its path in it; empty: there is none.
  std::string link_out = {};
  /// Whether definitions that lie elsewhere may take part in what is made of it.
  bool may_lack_definitions = true;
  std::string error = {};  ///< why nothing of it can be read; empty: it can
  bool is_certain = true;  ///< false: the system refused to read it this time
  DamageList damage = {};  ///< what was found when it was opened
  std::uint64_t messages = 0;
  std::uint64_t topics = 0;
  Time start{};
  Time end{};  ///< of an empty bag or one that cannot be read: when it was modified
};
using BagEntryPtr = std::shared_ptr<const BagEntry>;

/// Whether a path is that of a file on a web server, which has no folders and is read only.
bool is_on_web(std::string_view path);

}  // namespace kitbag::server
