#pragma once

#include <exception>
#include <span>
#include <string>

#include "base/buffer.h"
#include "io/posix.h"
#include "io/write_file.h"

namespace kitbag {

/// Bytes on their way to an open file: small ones are gathered, large ones go to the system from
/// where they lie, together with what was gathered before them. Knows nothing of names: what
/// becomes of the file in the end is for those who hold it. Throws Error (io) about `path`.
class BufferedOutput {
 public:
  /// Writes behind `size`, where the position of `file` must be.
  BufferedOutput(Descriptor file, std::string path, std::uint64_t size);

  std::uint64_t size() const { return written_ + buffer_.size(); }
  const std::string& path() const { return path_; }
  int descriptor() const { return file_.get(); }

  void append(std::span<const ByteView> pieces);
  /// The bytes must have been appended before, or lie in what the file had.
  void rewrite(std::uint64_t offset, ByteView bytes);
  void flush();
  /// flush() and fdatasync(2); with `all`, fsync(2): the attributes too.
  void sync(bool all = false);
  /// flush() and close(2).
  void close();

 private:
  void write_straight(std::span<const ByteView> pieces);
  void write_out(ByteView bytes) { write_straight(std::span(&bytes, 1)); }

  Descriptor file_;
  std::string path_;
  std::uint64_t written_;  ///< what the system has
  Buffer buffer_;
};

/// Keeps the first exception of the calls that pass through it, and throws it again ever after.
class Sticky {
 public:
  template <class Call>
  void run(Call&& call) {
    if (error_) std::rethrow_exception(error_);
    try {
      call();
    } catch (...) {
      error_ = std::current_exception();
      throw;
    }
  }

 private:
  std::exception_ptr error_;
};

}  // namespace kitbag
