#include <liburing.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "io/output/block_writer.h"

// What makes a ring cheap: the file and the memory are registered once, so that the kernel neither
// looks the file up nor pins pages for every write; and its completions do not interrupt us
// (COOP_TASKRUN), since we come by with every block. What the kernel does not know is left out:
// without registered memory (it counts as locked, which an unprivileged user may have little of) a
// ring still beats a thread. Not SINGLE_ISSUER: one thread at a time need not be the same always.

namespace kitbag {
namespace {

class RingWriter final : public BlockWriter {
 public:
  /// Takes over a ring with `blocks` places.
  RingWriter(io_uring ring, int file, std::span<std::byte> memory, unsigned blocks);
  ~RingWriter() override;

  void submit(const BlockWrite& write) override;
  std::optional<BlockEnd> finished(bool waits) override;

 private:
  void start(unsigned block, unsigned flags);
  std::optional<BlockEnd> take_completion(bool waits);
  std::optional<BlockEnd> go_on(unsigned block, int result);

  io_uring ring_;
  int file_;  ///< its place among the registered files, else its descriptor
  unsigned file_flags_ = 0;
  bool has_fixed_memory_;
  std::vector<BlockWrite> rest_;  ///< by block: what is not written of it yet
  unsigned under_way_ = 0;        ///< not returned by finished() yet
  std::optional<BlockEnd> refused_;
};

RingWriter::RingWriter(io_uring ring, int file, std::span<std::byte> memory, unsigned blocks)
    : ring_(ring), file_(file), rest_(blocks) {
  if (io_uring_register_files(&ring_, &file, 1) == 0) {
    file_ = 0;
    file_flags_ = IOSQE_FIXED_FILE;
  }
  iovec all{memory.data(), memory.size()};
  has_fixed_memory_ = io_uring_register_buffers(&ring_, &all, 1) == 0;
}

RingWriter::~RingWriter() {
  while (finished(true)) continue;
  // A ring ends behind our back, some time after its exit. Until then it would hold the file, whose
  // disk could not be unmounted, and the memory, which would count as locked.
  if (file_flags_ != 0) io_uring_unregister_files(&ring_);
  if (has_fixed_memory_) io_uring_unregister_buffers(&ring_);
  io_uring_queue_exit(&ring_);
}

void RingWriter::submit(const BlockWrite& write) {
  rest_[write.block] = write;
  ++under_way_;
  start(write.block, 0);
}

void RingWriter::start(unsigned block, unsigned flags) {
  const BlockWrite& write = rest_[block];
  auto size = static_cast<unsigned>(write.size);
  io_uring_sqe* entry = io_uring_get_sqe(&ring_);  // there is a place for every block
  if (has_fixed_memory_) {
    io_uring_prep_write_fixed(entry, file_, write.data, size, write.offset, 0);
  } else {
    io_uring_prep_write(entry, file_, write.data, size, write.offset);
  }
  io_uring_sqe_set_flags(entry, file_flags_ | flags);
  io_uring_sqe_set_data64(entry, block);
  int result = 0;
  do {
    result = io_uring_submit(&ring_);
  } while (result == -EINTR);
  if (result < 0) refused_ = {block, -result};
}

std::optional<BlockEnd> RingWriter::finished(bool waits) {
  while (under_way_ > 0) {
    auto end = refused_ ? std::exchange(refused_, std::nullopt) : take_completion(waits);
    if (end) --under_way_;
    if (end || !waits) return end;
  }
  return std::nullopt;
}

/// An end, if the next completion is one. Waits, or not, for the completion.
std::optional<BlockEnd> RingWriter::take_completion(bool waits) {
  io_uring_cqe* completion = nullptr;
  int result =
      waits ? io_uring_wait_cqe(&ring_, &completion) : io_uring_peek_cqe(&ring_, &completion);
  if (result == -EINTR || result == -EAGAIN) return std::nullopt;
  if (result < 0) {  // no completion will ever come
    under_way_ = 1;
    return BlockEnd{0, -result};
  }
  auto block = static_cast<unsigned>(io_uring_cqe_get_data64(completion));
  int count = completion->res;
  io_uring_cqe_seen(&ring_, completion);
  return go_on(block, count);
}

/// Begins the write of what is left of a block; its end if nothing is left or it failed.
std::optional<BlockEnd> RingWriter::go_on(unsigned block, int result) {
  // Cancelled: the thread that had begun the write has ended.
  bool again = result == -EINTR || result == -EAGAIN || result == -ECANCELED;
  if (result < 0 && !again) return BlockEnd{block, -result};
  if (result == 0) return BlockEnd{block, EIO};
  BlockWrite& rest = rest_[block];
  auto written = static_cast<std::size_t>(again ? 0 : result);
  rest.data += written;
  rest.size -= written;
  rest.offset += written;
  if (rest.size == 0) return BlockEnd{block, 0};
  start(block, again ? IOSQE_ASYNC : 0);  // what would have blocked may block a kernel thread
  return std::nullopt;
}

}  // namespace

std::unique_ptr<BlockWriter> make_ring_writer(int file, std::span<std::byte> memory,
                                              unsigned blocks) {
  io_uring ring;
  int result = io_uring_queue_init(blocks, &ring, IORING_SETUP_COOP_TASKRUN);
  if (result == -EINVAL) result = io_uring_queue_init(blocks, &ring, 0);  // before Linux 5.19
  if (result != 0) return nullptr;
  return std::make_unique<RingWriter>(ring, file, memory, blocks);
}

}  // namespace kitbag
