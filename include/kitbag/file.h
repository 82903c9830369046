#pragma once

#include <memory>
#include <span>
#include <string>

#include "kitbag/bytes.h"
#include "kitbag/export.h"

namespace kitbag {

/// How a file is written. The bytes are the same in all cases.
enum class Io {
  automatic,  ///< buffered at first; direct once the file has become large, fast
  buffered,   ///< through the page cache, where the next reader finds the data
  direct,     ///< past the page cache, at the speed of the disk; buffered if that is impossible
};

/// A file as bytes at offsets. It has no position, so any number of threads can read it (except for
/// a pipe).
class ReadFile {
 public:
  virtual ~ReadFile() = default;

  /// Returns the current size in bytes. A file that is being written grows. Throws Error (io).
  virtual std::uint64_t size() const = 0;

  /// Reads bytes at `offset` into `into` and returns their number, which is smaller than requested
  /// only at the end of the file. Throws Error (io).
  virtual std::size_t read(std::uint64_t offset, std::span<std::byte> into) const = 0;

  /// Announces that these bytes will be read soon. A hint: it returns at once and costs almost
  /// nothing while the data is in memory anyway.
  virtual void prefetch(std::uint64_t /*offset*/, std::uint64_t /*size*/) const {}

  /// Returns true for a pipe. Its bytes can be read only once, in order; only those at its
  /// beginning can be read again. Its size is UINT64_MAX, because it is not known. One thread at a
  /// time.
  virtual bool is_forward_only() const { return false; }

  /// Returns a text that identifies the content: it is equal for two objects that read the same
  /// file, as long as the file has not changed. Empty: not known.
  virtual std::string identity() const { return {}; }
};

/// Opens a regular file for reading. "-" is standard input, which may also be a pipe. Throws Error
/// (not_found, io).
KITBAG_API std::shared_ptr<const ReadFile> open_file(const std::string& path);

/// Returns a file in memory with the content `bytes`, which `owner` keeps alive. Without an owner,
/// `bytes` must outlive the file.
KITBAG_API std::shared_ptr<const ReadFile> memory_file(ByteView bytes, Owner owner = {});

/// Writes the content of `file` to `path`. The target appears complete and synced to the disk, or
/// not at all; it replaces an existing file only if `may_replace`. A device or pipe is written to
/// directly; "-" is standard output. Throws Error: io; not_found; exists; busy if the target is a
/// bag that is being written; truncated if `file` ends before its size.
KITBAG_API void save_file(const ReadFile& file, const std::string& path, bool may_replace = false);

}  // namespace kitbag
