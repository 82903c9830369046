#include "storage/sqlite3/pages/payload.h"

#include <fmt/format.h>

#include "base/memory_limit.h"

namespace kitbag::sqlite3 {

namespace {

constexpr std::string_view kZstdMagic("\x28\xb5\x2f\xfd", 4);

}  // namespace

bool PayloadReader::is_compressed(const MessageRow& message, std::uint32_t slot) const {
  if (!store_->may_be_compressed(slot) || message.data_offset >= message.row.local.size()) {
    return false;
  }
  ByteView local = message.row.local.subspan(static_cast<std::size_t>(message.data_offset));
  return as_text(local).starts_with(kZstdMagic);
}

Error PayloadReader::too_large(const MessageRow& message, std::string_view verb,
                               std::uint64_t bytes, std::uint64_t most) const {
  return store_->file()->error(ErrorCode::limit, message.row.page,
                               fmt::format("a message {} {} bytes or more, which exceeds the "
                                           "memory limit of {} bytes; it is left out",
                                           verb, bytes, most));
}

std::size_t PayloadReader::stored_bytes(const MessageRow& message) const {
  // A size is a number in the file. This keeps it from becoming an allocation.
  if (message.data_bytes > store_->file()->stored_bytes()) {
    throw store_->file()->error(ErrorCode::corrupt, message.row.page,
                                "a message is larger than the file");
  }
  std::uint64_t most = MemoryLimit(store_->options().max_memory_bytes).plain();
  if (message.data_bytes > most) throw too_large(message, "has", message.data_bytes, most);
  return static_cast<std::size_t>(message.data_bytes);
}

ByteView PayloadReader::unpack(const MessageRow& message, std::size_t size) {
  packed_.resize(size);
  read_payload(*store_->file(), message.row, message.data_offset, packed_.span(), scratch_);
  if (!decompressor_) decompressor_ = make_decompressor("zstd");
  auto most =
      static_cast<std::size_t>(MemoryLimit(store_->options().max_memory_bytes).unpacked(size));
  Decompressed done = decompressor_->decompress(packed_.view(), 0, most, unpacked_);
  if (!done.complete && unpacked_.size() >= most) {
    throw too_large(message, "decompresses to", most, most);
  }
  if (!done.complete) {
    throw store_->file()->error(ErrorCode::corrupt, message.row.page,
                                "a compressed message is damaged");
  }
  return unpacked_.view();
}

}  // namespace kitbag::sqlite3
