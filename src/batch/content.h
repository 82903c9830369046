#pragma once

#include <string>

#include "kitbag/file_system.h"
#include "kitbag/session.h"

// What identifies the content of a file or folder. A state is quick to get, and stays the same as
// long as nobody writes there. A sum is that of the content itself.

namespace kitbag::batch {

/// Returns the state of what is at `path`: the number of its files, their bytes and the newest time
/// of them. Empty: nothing is there, or a folder without files. Throws Error (io).
std::string state_of(const std::string& path, const Session& session);
/// The same of a file of which a list has said the status.
std::string state_of(const FileStatus& file, const std::string& path, const Session& session);

/// Returns the sum of what is at `path`: of all bytes on this machine, and elsewhere what the file
/// system knows of the version of a file. Empty if that is not known. Throws Error (io, not_found).
std::string sum_of(const std::string& path, const Session& session);

}  // namespace kitbag::batch
