#pragma once

#include <filesystem>

namespace kitbag {

// A new folder that is to become `target`: a hidden one beside it, as a StagedFile is for a file.
// All throw Error (io, not_found).

/// Makes the hidden folder.
std::filesystem::path stage_folder(const std::filesystem::path& target);
/// Gives it its name; nothing may be there but an empty folder. Written to the disk.
void publish_folder(const std::filesystem::path& staged, const std::filesystem::path& target);
/// Removes it with all that is in it.
void remove_folder(const std::filesystem::path& staged) noexcept;
/// Makes the folder `target` itself, if it is not there.
void make_folder(const std::filesystem::path& target);

}  // namespace kitbag
