#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "kitbag/bytes.h"
#include "kitbag/export.h"
#include "kitbag/file.h"
#include "kitbag/remote_options.h"

// For file systems whose files are far away. They implement RangeReader: bytes of a file, a range
// at a time, many ranges at once. remote_file() makes a ReadFile of it, which formats read in small
// pieces as if it were on a disk: it asks for blocks, several at once, keeps them in a cache that
// all files share, and reads ahead of a reader that goes forward.

namespace kitbag {

/// Receives the bytes of a range, from any thread, but never from two at a time.
struct RangeSink {
  /// The next bytes. All calls together give exactly the range, unless `end` gets an error.
  std::function<void(ByteView bytes)> take;
  /// Called once, at the end: null, or an Error. No call follows.
  std::function<void(std::exception_ptr error)> end;
};

/// A file far away. Any thread.
class RangeReader {
 public:
  virtual ~RangeReader() = default;
  /// Returns the size in bytes, which does not change.
  virtual std::uint64_t size() const = 0;
  /// As ReadFile::identity().
  virtual std::string identity() const = 0;
  /// Begins to read `size` bytes at `offset`, which are in the file, and returns at once. `sink` is
  /// kept until it was told the end. A file that has changed since it was opened is an Error (io).
  virtual void read(std::uint64_t offset, std::uint64_t size, RangeSink sink) const = 0;
};

class BlockCache;

/// Returns a cache for the blocks of remote files that holds at most about `capacity_bytes`.
KITBAG_API std::shared_ptr<BlockCache> make_block_cache(std::size_t capacity_bytes);
/// The same as `options` say. Blocks are kept in the folder for files with an identity.
KITBAG_API std::shared_ptr<BlockCache> make_block_cache(const RemoteOptions& options);

/// Returns `reader` as a file. `head`, the first bytes, are known already. A range that could not
/// be read is an Error of each read() that needs it, and is tried again by the next one.
KITBAG_API std::shared_ptr<const ReadFile> remote_file(std::shared_ptr<const RangeReader> reader,
                                                       std::shared_ptr<BlockCache> cache,
                                                       ByteView head = {});

}  // namespace kitbag
