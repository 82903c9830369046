#pragma once

#include <memory>
#include <string>

#include "io/posix.h"
#include "kitbag/bytes.h"
#include "kitbag/file.h"

namespace kitbag {

/// The folder for temporary files: $TMPDIR, else /tmp. Throws Error (io).
std::string temporary_folder();

/// Opens a new file without a name in `folder`, for reading and writing; empty and errno set when
/// refused.
Descriptor open_unnamed(const std::string& folder);

/// A file without a name in the folder for temporary files ($TMPDIR, else /tmp). Its space is given
/// back when nobody holds it any more, however the program ends.
class TemporaryFile {
 public:
  /// Throws Error (io, not_found).
  TemporaryFile();

  /// Throws Error (io); for a full disk, it names the folder.
  void append(ByteView bytes);
  std::uint64_t size() const { return size_; }
  /// What was appended, to read. Nothing may be appended after it.
  std::shared_ptr<const ReadFile> finish();

 private:
  std::string folder_;
  Descriptor file_;
  std::uint64_t size_ = 0;
};

}  // namespace kitbag
