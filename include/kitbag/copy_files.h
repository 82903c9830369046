#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/export.h"
#include "kitbag/session.h"

// Files as they are, byte for byte, from any file system to any that can be written to: what
// `kitbag cp` does. What is copied is planned first, so that a command that makes no sense as a
// whole fails before the first file is written.

namespace kitbag {

/// A file that is to be copied.
struct FileToCopy {
  std::string from;              ///< path or URI
  std::string to;                ///< path or URI
  std::uint64_t size_bytes = 0;  ///< when it was planned
};

/// What is copied one after the other: a file, or the files of a bag that is a directory.
struct CopyJob {
  std::string from;               ///< the file or directory
  std::string to;                 ///< its new name
  std::vector<FileToCopy> files;  ///< in this order; metadata.yaml of a directory is the last one
  /// True: the copies appear when all of them are written. A database and its logs.
  bool is_together = false;

  /// Returns the bytes of all files.
  KITBAG_API std::uint64_t size_bytes() const;
};

/// How copies are planned.
struct CopyPlanOptions {
  bool is_recursive = false;  ///< folders are copied with everything below them
  std::stop_token stop = {};  ///< ends the planning
  /// Called for a source that does not exist or cannot be looked at; the others are copied. Empty:
  /// the Error is thrown.
  std::function<void(const Error& error)> on_failure = {};
  /// Called with the path of what is in a folder and has no content to copy: sockets, pipes,
  /// devices, links that lead nowhere.
  std::function<void(const std::string& path)> on_left_out = {};
};

/// Plans to copy `sources`, which are files, folders and globs, to `target`. If `target` ends with
/// "/" or is a folder, they are copied into it, each under its own name; if not, there must be only
/// one, and `target` is its new name. Writes nothing. Throws Error: invalid if two files would get
/// the same name, several have no folder to go to, or a folder is not to be copied; not_found if a
/// source does not exist or a glob matches nothing; io; cancelled on `options.stop`.
KITBAG_API std::vector<CopyJob> plan_copies(const std::vector<std::string>& sources,
                                            const std::string& target,
                                            const CopyPlanOptions& options, const Session& session);

/// How files are copied.
struct CopyOptions {
  bool may_replace = false;   ///< files at the target, if their content is another
  bool reads_again = false;   ///< the copy, and compares each byte with the source
  std::stop_token stop = {};  ///< ends the copying
  /// Called with the bytes of each piece that was copied or need not be copied. On the thread of
  /// copy().
  std::function<void(std::uint64_t bytes)> on_bytes = {};
  OnWarning on_warning = {};  ///< called for leftovers that were removed, for example
};

/// What copy() has done.
struct Copied {
  std::uint64_t files = 0;          ///< that were written
  std::uint64_t skipped_files = 0;  ///< the target had them, with the same content
  std::uint64_t size_bytes = 0;     ///< of those that were written
};

/// Copies the files of a job, one after the other. A file whose content the target has already is
/// skipped. Each file appears under its name when it is complete and has the size of its source; if
/// a later file fails, those before it stay. Throws Error: busy if a source is being written;
/// exists; not_found; io, also if a source has changed meanwhile or a copy is not equal to its
/// source, which is then removed; cancelled on `options.stop`.
KITBAG_API Copied copy(const CopyJob& job, const CopyOptions& options, const Session& session);

}  // namespace kitbag
