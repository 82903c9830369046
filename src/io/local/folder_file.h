#pragma once

#include <memory>
#include <string>

#include "kitbag/file_system.h"

namespace kitbag {

/// Begins a file in a folder that has no name yet (Staging::place()) and in which nobody else
/// writes: a file among very many, which need no locks and reach the disk together. Nothing may be
/// at `path`. commit() does not wait for the disk: sync_folder_files() does. Throws Error (io,
/// exists, not_found).
std::unique_ptr<WriteFile> create_folder_file(const std::string& path);

/// Returns when all files in `folder` and the folders in it are stored durably. Throws Error (io).
void sync_folder_files(const std::string& folder);

}  // namespace kitbag
