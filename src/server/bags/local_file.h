#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kitbag/time.h"
#include "server/http/message.h"

namespace kitbag::server {

/// A local file as it was when it was opened: the descriptor holds on to it, whoever replaces or
/// removes it meanwhile.
struct LocalFile {
  std::shared_ptr<const OpenFile> file;
  std::uint64_t size = 0;
  Time modified{};
  std::string version;  ///< another one for each state of the content
};

/// Throws Error (io), also for what is no regular file.
LocalFile open_local_file(const std::string& path);

}  // namespace kitbag::server
