#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kitbag/file_system.h"
#include "kitbag/time.h"
#include "server/bags/leases.h"
#include "server/http/message.h"

namespace kitbag::server {

/// A file as it was when it was opened. Where it is local, its content stays readable when the file
/// is replaced or removed.
struct OpenedFile {
  std::shared_ptr<OpenFile> file;
  FileId id;
  std::uint64_t size = 0;
  Time modified{};
  std::string version;  ///< another one for each state of the content
};

/// Why a request is refused with status 503.
inline constexpr const char* kBagHasChanged = "the bag has changed meanwhile; try again";

/// Throws Error: not_found; io, also for what is no regular file.
OpenedFile open_local_file(const std::string& path);
/// A file in any file system, leased as long as it is open, and for the time `after` beyond. It is
/// closed when the lease is revoked. Throws as open_local_file(), and Refusal (503) if the file
/// changes while it is opened.
OpenedFile open_leased_file(const FileSystem& files, const std::string& path, Duration after,
                            Leases& leases);

}  // namespace kitbag::server
