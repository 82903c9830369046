#pragma once

#include <vector>

#include "io/output/block_writer.h"
#include "io/output/blocks.h"
#include "io/output/output.h"

namespace kitbag {

/// Output past the page cache (O_DIRECT): at the speed of the disk, with little of the processor
/// and nothing of the memory of others.
class DirectOutput final : public Output {
 public:
  /// Writes behind `size`. The first of `blocks` begins with the bytes of the file from
  /// `start` = `size` rounded down to `alignment`. `writer` writes to `file` from `blocks`, and
  /// leaves with O_DIRECT on.
  DirectOutput(Descriptor file, std::string path, std::uint64_t size, std::size_t alignment,
               std::uint64_t most_ahead_bytes, Blocks blocks, std::unique_ptr<BlockWriter> writer,
               std::string_view kind);
  ~DirectOutput() override { abandon(); }

  std::uint64_t size() const override { return start_ + filled_; }
  void append(std::span<const ByteView> pieces) override;
  void rewrite(std::uint64_t offset, ByteView bytes) override;
  void flush() override;
  void sync() override;
  void settle() override;
  void close() override;
  void abandon() noexcept override;
  int descriptor() const override { return file_.get(); }
  std::string_view kind() const override { return kind_; }

 private:
  void append(ByteView bytes);
  void hand_over();
  void begin_write();
  void allocate_ahead(std::uint64_t end);
  void drain();
  bool take(std::optional<BlockEnd> end);
  void rewrite_on_disk(std::uint64_t offset, ByteView bytes);
  void turn_direct(bool is_direct);
  void cut_to_size();

  Descriptor file_;
  std::string path_;
  std::size_t alignment_;
  std::uint64_t most_ahead_bytes_;
  std::string_view kind_;

  std::uint64_t begin_;      ///< where this output began to write
  std::uint64_t start_;      ///< of the current block in the file
  std::size_t filled_;       ///< bytes in the current block
  std::size_t written_ = 0;  ///< of these, those that the file has or is being given
  unsigned current_ = 0;
  std::vector<unsigned> free_;  ///< blocks that are neither current nor under way

  std::uint64_t allocated_;  ///< the file has its blocks on the disk up to here
  bool allocates_ = true;    ///< until the file system cannot
  bool has_tail_ = true;     ///< the file may be longer than size()
  bool is_direct_ = true;    ///< O_DIRECT is on
  Blocks blocks_;
  std::unique_ptr<BlockWriter> writer_;  ///< last: it goes before its memory and its file
};

}  // namespace kitbag
