#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/buffer.h"
#include "kitbag/message.h"

namespace kitbag::sqlite3 {

/// Memory for payloads that do not lie together in the file: small ones share a block, larger ones
/// have memory of their own.
class PayloadArena {
 public:
  /// Kept by `batch`.
  std::span<std::byte> take(std::size_t bytes, Batch& batch) {
    if (bytes > kBlockBytes / 4) {
      auto own = pool_.take();
      own->resize(bytes);
      batch.keep(own, own->capacity());
      return own->span();
    }
    if (!block_ || kBlockBytes - used_ < bytes) {
      block_ = pool_.take();
      block_->resize(kBlockBytes);
      used_ = 0;
      is_kept_ = false;
    }
    if (!is_kept_) batch.keep(block_, kBlockBytes);
    is_kept_ = true;
    std::span<std::byte> place = block_->span().subspan(used_, bytes);
    used_ += bytes;
    return place;
  }
  /// The next batch is another.
  void begin_batch() { is_kept_ = false; }

 private:
  static constexpr std::size_t kBlockBytes = 1 << 20;
  static constexpr std::size_t kIdleBytes = 8 << 20;
  BufferPool pool_{kIdleBytes};
  std::shared_ptr<Buffer> block_;
  std::size_t used_ = 0;
  bool is_kept_ = false;
};

}  // namespace kitbag::sqlite3
