#include "base/buffer.h"

#include <algorithm>
#include <new>
#include <utility>

namespace kitbag {

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(capacity_, other.capacity_);
  return *this;
}

Buffer::~Buffer() {
  std::free(data_);
}

void Buffer::grow(std::size_t capacity, std::size_t most) {
  if (capacity > PTRDIFF_MAX) throw std::bad_alloc();
  capacity = std::max({capacity, std::min(capacity_ * 2, most), std::size_t{64}});
  void* grown = std::realloc(data_, capacity);
  if (!grown) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(grown);
  capacity_ = capacity;
}

struct BufferPool::Shelf {
  explicit Shelf(std::size_t idle_bytes) : limit(idle_bytes) {}

  std::unique_ptr<Buffer> lend() {
    std::lock_guard lock(mutex);
    // Room for every buffer that may come back, so that put_back() never allocates.
    idle.reserve(idle.size() + lent + 1);
    std::unique_ptr<Buffer> buffer;
    if (idle.empty()) {
      buffer = std::make_unique<Buffer>();
    } else {
      buffer = std::move(idle.back());
      idle.pop_back();
      bytes -= buffer->capacity();
    }
    ++lent;
    return buffer;
  }

  void put_back(std::unique_ptr<Buffer> buffer) noexcept {
    std::lock_guard lock(mutex);
    --lent;
    if (buffer->capacity() == 0 || buffer->capacity() > limit - bytes) return;
    bytes += buffer->capacity();
    buffer->clear();
    idle.push_back(std::move(buffer));
  }

  const std::size_t limit;
  std::mutex mutex;
  std::vector<std::unique_ptr<Buffer>> idle;
  std::size_t bytes = 0;  ///< capacity of what is idle, at most `limit`
  std::size_t lent = 0;
};

BufferPool::BufferPool(std::size_t idle_bytes) : shelf_(std::make_shared<Shelf>(idle_bytes)) {}

std::shared_ptr<Buffer> BufferPool::take() {
  auto shelf = shelf_;
  auto put_back = [shelf](Buffer* buffer) { shelf->put_back(std::unique_ptr<Buffer>(buffer)); };
  return {shelf->lend().release(), put_back};
}

}  // namespace kitbag
