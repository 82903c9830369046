#include "base/buffer.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

#include "base/huge_block.h"

// Chunks are unpacked into these buffers, so most of them have some hundred KiB. Memory of that
// size often comes from the system and goes back to it with free(), and then each buffer is touched
// for the first time, page by page. Two things are against that. Buffers come back to a shelf, the
// last one in front, as it may still be in the processor's cache. And new ones are cut from huge
// pages, of which one touch is enough for 2 MiB.
//
// A buffer that was cut cannot grow where it is. It moves to memory of malloc() and gives its pages
// back; what is left of the block serves the other buffers in it.

namespace kitbag {

Buffer::Buffer(std::shared_ptr<HugeBlock> block, std::span<std::byte> memory)
    : data_(memory.data()), capacity_(memory.size()), block_(std::move(block)) {}

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)),
      block_(std::move(other.block_)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(capacity_, other.capacity_);
  std::swap(block_, other.block_);
  return *this;
}

Buffer::~Buffer() {
  release();
}

void Buffer::release() noexcept {
  if (!block_) return std::free(data_);
  // The last part of a block is released with it.
  if (block_.use_count() > 1) HugeBlock::give_back({data_, capacity_});
  block_.reset();
}

void Buffer::grow(std::size_t capacity, std::size_t most) {
  if (capacity > PTRDIFF_MAX) throw std::bad_alloc();
  capacity = std::max({capacity, std::min(capacity_ * 2, most), std::size_t{64}});
  void* grown = std::realloc(block_ ? nullptr : data_, capacity);
  if (!grown) throw std::bad_alloc();
  if (block_) {
    if (size_ > 0) std::memcpy(grown, data_, size_);
    release();
  }
  data_ = static_cast<std::byte*>(grown);
  capacity_ = capacity;
}

struct BufferPool::Shelf {
  explicit Shelf(std::size_t idle_bytes) : limit(idle_bytes) {}

  std::unique_ptr<Buffer> lend(std::size_t wanted) {
    std::lock_guard lock(mutex);
    // Room for every buffer that may come back, so that put_back() never allocates.
    idle.reserve(idle.size() + lent + 1);
    std::unique_ptr<Buffer> buffer = take_idle(wanted);
    if (!buffer) buffer = make(wanted);
    ++lent;
    return buffer;
  }

  /// The one that came back last of those that have room, whose memory is the warmest. If none has,
  /// any may grow, unless a new one can be cut from a block. Null: make a new one.
  std::unique_ptr<Buffer> take_idle(std::size_t wanted) {
    auto found = std::find_if(idle.rbegin(), idle.rend(),
                              [&](const auto& one) { return one->capacity() >= wanted; });
    if (found == idle.rend() && !is_cut(wanted)) found = idle.rbegin();
    if (found == idle.rend()) return nullptr;
    std::unique_ptr<Buffer> buffer = std::move(*found);
    idle.erase(std::next(found).base());
    bytes -= buffer->capacity();
    return buffer;
  }

  std::unique_ptr<Buffer> make(std::size_t wanted) {
    if (!is_cut(wanted)) return std::make_unique<Buffer>();
    // Chunks differ a little in size: the buffer of one is to have room for the next.
    std::size_t rounded = (wanted + kStep - 1) / kStep * kStep;
    if (!blocks) blocks = shared_blocks();
    HugeBlocks::Part part = blocks->cut(rounded);
    return std::make_unique<Buffer>(std::move(part.block), part.memory);
  }

  static bool is_cut(std::size_t wanted) {
#ifdef __SANITIZE_ADDRESS__
    return false;  // a write beyond one buffer would be one into the next, unseen
#endif
    return wanted >= kLeastOfBlock && wanted <= HugeBlock::kBytes / 2;
  }

  void put_back(std::unique_ptr<Buffer> buffer) noexcept {
    std::lock_guard lock(mutex);
    --lent;
    if (buffer->capacity() == 0 || buffer->capacity() > limit - bytes) return;
    bytes += buffer->capacity();
    buffer->clear();
    idle.push_back(std::move(buffer));
  }

  static constexpr std::size_t kLeastOfBlock = std::size_t{128} << 10;
  static constexpr std::size_t kStep = std::size_t{64} << 10;

  const std::size_t limit;
  std::mutex mutex;
  std::vector<std::unique_ptr<Buffer>> idle;
  std::size_t bytes = 0;  ///< capacity of what is idle, at most `limit`
  std::size_t lent = 0;
  std::shared_ptr<HugeBlocks> blocks;  ///< null until a buffer is cut from one
};

BufferPool::BufferPool(std::size_t idle_bytes) : shelf_(std::make_shared<Shelf>(idle_bytes)) {}

std::shared_ptr<Buffer> BufferPool::take(std::size_t bytes) {
  auto shelf = shelf_;
  auto put_back = [shelf](Buffer* buffer) { shelf->put_back(std::unique_ptr<Buffer>(buffer)); };
  return {shelf->lend(bytes).release(), put_back};
}

}  // namespace kitbag
