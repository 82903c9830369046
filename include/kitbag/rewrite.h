#pragma once

#include <memory>
#include <string>

#include "kitbag/bag.h"
#include "kitbag/export.h"
#include "kitbag/session.h"

// A bag that is rewritten in place, as `rosbag compress` does: the new bag gets the name of the old
// one, which stays beside it under the name that rosbag gives it.

namespace kitbag {

/// Returns the name under which the original of the bag at `path` is kept: "x.orig.bag" for
/// "x.bag".
KITBAG_API std::string original_path(const std::string& path);
/// Returns whether `path` is such a name.
KITBAG_API bool is_original_path(const std::string& path);

/// Begins to write a bag that takes the place of the file at `path`, in its format, or in that of
/// `options.format`. close() opens the new bag and counts its messages, keeps the old file as
/// original_path(path), and then gives the new one its name; until then the old one is untouched
/// and can be read. Without close() nothing changes. Holds the writers' lock of the file.
/// `options.may_replace` is ignored: an original is never replaced. Throws Error: corrupt if the
/// new bag does not have all messages, invalid if there is an original already, unsupported for a
/// directory, and what Session::create() throws.
KITBAG_API std::unique_ptr<Writer> rewrite(const std::string& path, const WriteOptions& options,
                                           const Session& session);

}  // namespace kitbag
