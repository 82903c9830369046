#pragma once

#include <filesystem>
#include <string>

#include "kitbag/system_error.h"

// What file names mean to those who create files. `path` is the name that errors show.

namespace kitbag {

/// Where `path` leads through symbolic links, even when nothing is there yet. Throws Error (io).
std::filesystem::path follow_links(const std::string& path);

/// The folder of `path`, by a name that can be opened.
std::string folder_of(const std::filesystem::path& path);

/// What is wrong when `target` cannot be created: mostly the folder is not there.
SystemError create_error(const std::string& what, int number, const std::filesystem::path& target,
                         const std::string& path);

/// Gives the file `from` the name `to` in one step, replacing what is there.
/// Returns 0, or the errno.
int rename_over(const std::string& from, const std::string& to);
/// The same, but replaces nothing: EEXIST if anything is there, whoever created it and when.
int rename_to_free(const std::string& from, const std::string& to);

/// Writes the folder of `target` to the disk, where the system can. Throws Error (io).
void sync_folder(const std::filesystem::path& target, const std::string& path);

}  // namespace kitbag
