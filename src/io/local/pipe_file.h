#pragma once

#include <string>
#include <vector>

#include "io/posix.h"
#include "kitbag/file.h"

namespace kitbag {

/// A pipe as a file that is read from its beginning to its end, once. Its first kHeadBytes are
/// kept, so that they can be looked at before.
class PipeFile final : public ReadFile {
 public:
  static constexpr std::size_t kHeadBytes = 4096;

  PipeFile(Descriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  std::uint64_t size() const override { return UINT64_MAX; }
  /// What lies before `offset` and was not read is lost. Waits for what is not there yet. Throws
  /// Error: invalid for what was read already, io.
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override;
  bool is_forward_only() const override { return true; }

 private:
  std::size_t take(std::span<std::byte> into) const;

  Descriptor file_;
  std::string path_;
  mutable std::vector<std::byte> head_;
  mutable std::uint64_t position_ = 0;  ///< in the pipe
};

}  // namespace kitbag
