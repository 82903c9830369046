#pragma once

#include <memory>
#include <span>
#include <string>

#include "kitbag/bytes.h"
#include "kitbag/export.h"

namespace kitbag {

/// How a file is written. The bytes are the same in every way.
enum class Io {
  automatic,  ///< buffered at first; directly from where a file has become large, and fast
  buffered,   ///< through the page cache, where who reads the file next finds it
  direct,     ///< past the page cache, at the speed of the disk; buffered where that is impossible
};

/// A file as bytes at offsets. Thread-safe: it has no position.
class ReadFile {
 public:
  virtual ~ReadFile() = default;

  /// Size in bytes now; a file that is being written grows.
  virtual std::uint64_t size() const = 0;

  /// Reads into `into` from `offset`; returns how many bytes there were, fewer than asked only at
  /// the end of the file. Throws Error (io).
  virtual std::size_t read(std::uint64_t offset, std::span<std::byte> into) const = 0;

  /// Says that these bytes will be read soon. A hint: returns at once, and costs next to nothing
  /// while what is read is in memory anyway.
  virtual void prefetch(std::uint64_t /*offset*/, std::uint64_t /*size*/) const {}

  /// True: a pipe. Its bytes are read once, each behind the one before; only those of its
  /// beginning may be read again. Its size is not known: UINT64_MAX. One thread at a time.
  virtual bool is_forward_only() const { return false; }

  /// What tells the content from any other: equal for two that read the same file while it has not
  /// changed. Empty: it is not known.
  virtual std::string identity() const { return {}; }
};

/// Opens a regular file for reading; "-" is standard input, which may be a pipe too. Throws Error
/// (not_found, io).
KITBAG_API std::shared_ptr<const ReadFile> open_file(const std::string& path);

/// A file in memory: `bytes`, kept alive by `owner`.
KITBAG_API std::shared_ptr<const ReadFile> memory_file(ByteView bytes, Owner owner = {});

/// Writes what `file` holds to `path`, which appears whole or not at all, is on the disk then, and
/// replaces a file that is there only if `may_replace`. A device or pipe is written as it is; "-"
/// is standard output. Throws Error (io, not_found; exists; busy: a bag that is being written;
/// truncated: `file` ends before its size).
KITBAG_API void save_file(const ReadFile& file, const std::string& path, bool may_replace = false);

}  // namespace kitbag
