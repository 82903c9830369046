#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kitbag/session.h"
#include "storage/rosbag2/metadata.h"

namespace kitbag::directory {

/// Makes the next metadata of a directory from the current one; nothing: there is none, or it is
/// damaged. Without a result, metadata.yaml stays as it is. May be called several times.
using ChangeMetadata =
    std::function<std::optional<rosbag2::BagMetadata>(std::optional<rosbag2::BagMetadata> current)>;

/// Replaces metadata.yaml of `folder`, in one step, by what `change` makes of it. Others that do so
/// at the same time, in this process or another, come one after the other, so that no entry is
/// lost. Waits for them: each takes some milliseconds. `on_warning` is called for a file
/// system without locks. Throws Error: busy, if another program held the file for ten seconds; io.
void change_metadata(const std::string& folder, const ChangeMetadata& change,
                     const Session& session, const OnWarning& on_warning = {});

/// Locks `folder` as one of several writers, and so against a writer that needs it alone. Throws
/// Error (busy), if there is such a writer for two seconds.
std::unique_ptr<FileLock> lock_as_one_of_several(const std::string& folder, const Session& session,
                                                 const OnWarning& on_warning = {});

}  // namespace kitbag::directory
