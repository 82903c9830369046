#pragma once

#include "base/buffer.h"
#include "io/output/output.h"

namespace kitbag {

/// Output through the page cache: small pieces are gathered, large ones go to the system from where
/// they lie, together with what was gathered before them. The one that serves pipes and devices
/// too, as long as nobody asks it to rewrite.
class BufferedOutput final : public Output {
 public:
  /// Writes behind `size`, where the position of `file` must be.
  BufferedOutput(Descriptor file, std::string path, std::uint64_t size);

  std::uint64_t size() const override { return written_ + buffer_.size(); }
  void append(std::span<const ByteView> pieces) override;
  void rewrite(std::uint64_t offset, ByteView bytes) override;
  void flush() override;
  void sync() override;
  void settle() override;
  void close() override;
  void abandon() noexcept override { buffer_.clear(); }
  int descriptor() const override { return file_.get(); }
  std::string_view kind() const override { return "buffered"; }

  /// Gives the file away, after flush(). Nothing may follow.
  Descriptor release() { return std::move(file_); }

 private:
  void write_straight(std::span<const ByteView> pieces);

  Descriptor file_;
  std::string path_;
  std::uint64_t written_;  ///< what the system has
  Buffer buffer_;
};

}  // namespace kitbag
