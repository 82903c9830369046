#pragma once

#include <memory>
#include <span>
#include <string>

#include "io/local/write_lock.h"
#include "io/output/output_options.h"
#include "kitbag/bytes.h"
#include "kitbag/file_system.h"

namespace kitbag {

/// A new file that replaces `path` at commit(): it is written beside it, synced and renamed, and
/// the folder synced, so that at any moment `path` is the old file or the whole new one. A symbolic
/// link is followed. What is not a regular file (a device, a pipe) is written as it is; "-" is
/// standard output.
/// Without `options.may_replace` the target must not exist: Error (exists), now or from commit().
/// With `options.is_visible` it is written under its name at once, where nothing may be, and what
/// was written stays without commit(). Throws Error (io, not_found; exists).
std::unique_ptr<WriteFile> create_file(const std::string& path, const OutputOptions& options = {});

/// The existing file at `path`, to append behind its end. Without commit() it is cut back to the
/// size it had. rewrite() must wait until everything appended is synced. It is locked until
/// commit(), and readers see what they saw before. Throws Error (busy: another program writes it).
std::unique_ptr<WriteFile> append_file(const std::string& path, const OutputOptions& options = {});

/// The same in two steps, for those who must read the file first: nobody else changes it any more.
WriteLock lock_to_append(const std::string& path, const OnWarning& on_warning);
/// Appends after the byte `end`. What is already there was left by an append that was not
/// completed: it is removed, and that is reported to `options.on_warning`.
std::unique_ptr<WriteFile> append_file(WriteLock lock, const std::string& path, std::uint64_t end,
                                       const OutputOptions& options);

/// A new file under its own name, where nothing may be, open for reading and writing, and locked.
/// Throws Error (io, not_found; exists).
Descriptor create_visible_file(const std::string& path, const OnWarning& on_warning);

/// True if both paths lead to one existing file, by links or otherwise.
bool same_file(const std::string& a, const std::string& b);

}  // namespace kitbag
