#pragma once

#include <cstdint>
#include <exception>

#include "export/video/mux.h"
#include "kitbag/arrow_ipc.h"
#include "kitbag/file_system.h"

namespace kitbag::libav {

/// Where libav writes the bytes of a file: into a WriteFile, where it goes back to numbers that it
/// knows at the end, or to a function that takes them one after the other. Has to stay where it is.
class Output {
 public:
  /// `file` has to outlive this.
  explicit Output(WriteFile& file);
  explicit Output(BytesOut out);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  AVIOContext* context() { return context_; }
  /// Throws the Error of the file or function, if a call of libav has met one.
  void rethrow() const;
  std::uint64_t written_bytes() const { return written_bytes_; }

 private:
  void open(bool is_seekable);
  void write(ByteView bytes);
  std::int64_t seek(std::int64_t offset, int whence) const;

  WriteFile* file_ = nullptr;
  BytesOut out_;
  AVIOContext* context_ = nullptr;
  std::uint64_t position_ = 0;
  std::uint64_t written_bytes_ = 0;
  std::exception_ptr error_;  ///< the first one
};

}  // namespace kitbag::libav
