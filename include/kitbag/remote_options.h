#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "kitbag/error.h"

namespace kitbag {

class RemoteRules;

/// How remote files are read: those on web servers and in object stores.
struct RemoteOptions {
  /// Memory in bytes for parts of files, which all remote files of a session share.
  std::size_t cache_bytes = std::size_t{64} << 20;
  /// A folder where parts of files are kept for other processes and for later; it is created.
  /// Empty: none are kept.
  std::string cache_folder = {};
  /// The most bytes in that folder; what was not used for longest is deleted.
  std::uint64_t cache_folder_bytes = std::uint64_t{10} << 30;
  /// What may be read. Null: everything.
  std::shared_ptr<const RemoteRules> rules = nullptr;
  /// Called, from any thread, when parts cannot be kept in the folder, once for each reason. They
  /// are read nevertheless.
  OnWarning on_warning = {};
};

}  // namespace kitbag
