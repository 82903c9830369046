#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "io/output/output_options.h"
#include "io/pieces.h"
#include "io/posix.h"
#include "kitbag/bytes.h"

namespace kitbag {

/// Bytes on their way to an open file. Knows nothing of names: what happens to the file in the end
/// is up to its owner, as is making errors sticky. Throws Error (io) with the path that it was
/// given. One thread at a time.
class Output {
 public:
  virtual ~Output() = default;

  /// Where the next append() goes: the bytes of the file so far.
  virtual std::uint64_t size() const = 0;
  /// Appends the pieces one behind the other; they may go when it returns.
  virtual void append(std::span<const ByteView> pieces) = 0;
  /// The bytes must have been appended before, or lie in what the file had; else Error (invalid).
  virtual void rewrite(std::uint64_t offset, ByteView bytes) = 0;
  /// Passes buffered bytes on, so that readers of the file find them. Until settle() the file may
  /// be longer than size(), by zeros.
  virtual void flush() = 0;
  /// flush(), and the data is on the disk when it returns.
  virtual void sync() = 0;
  /// flush(), and data, length and attributes are on the disk when it returns. More may follow.
  virtual void settle() = 0;
  /// flush() and close(2), the file being as long as size(). Nothing may follow.
  virtual void close() = 0;
  /// Gives up: what is under way has ended when it returns, what is held back is not written.
  virtual void abandon() noexcept = 0;

  /// Of the open file: for fdatasync(2), and after settle() or abandon() for pread(2) and pwrite(2)
  /// at any place.
  virtual int descriptor() const = 0;
  /// "buffered", "io_uring" or "pwrite": how it writes now.
  virtual std::string_view kind() const = 0;
};

/// Writes behind `size`, which is how long `file` is and where its position must be; `file` is open
/// for reading too.
std::unique_ptr<Output> make_output(Descriptor file, std::string path, std::uint64_t size,
                                    const OutputOptions& options);

/// Throws Error (invalid) unless [offset, offset + count) lies in the `size` bytes written.
void check_rewrite(std::uint64_t offset, std::uint64_t count, std::uint64_t size,
                   const std::string& path);

}  // namespace kitbag
