#include "storage/sqlite3/payload.h"

namespace kitbag::sqlite3 {

namespace {

constexpr std::string_view kZstdMagic("\x28\xb5\x2f\xfd", 4);
/// What one message may unpack to.
constexpr std::size_t kMostUnpacked = std::size_t{1} << 30;

}  // namespace

bool PayloadReader::is_compressed(const MessageRow& message, std::uint32_t slot) const {
  if (!store_->may_be_compressed(slot) || message.data_offset >= message.row.local.size()) {
    return false;
  }
  ByteView local = message.row.local.subspan(static_cast<std::size_t>(message.data_offset));
  return as_text(local).starts_with(kZstdMagic);
}

std::size_t PayloadReader::stored_bytes(const MessageRow& message) const {
  if (message.data_bytes > store_->file()->file_bytes()) {
    throw store_->file()->error(ErrorCode::corrupt, message.row.page,
                                "a message is larger than the file");
  }
  return static_cast<std::size_t>(message.data_bytes);
}

ByteView PayloadReader::unpack(const MessageRow& message, std::size_t size) {
  packed_.resize(size);
  read_payload(*store_->file(), message.row, message.data_offset, packed_.span(), scratch_);
  if (!decompressor_) decompressor_ = make_decompressor("zstd");
  Decompressed done = decompressor_->decompress(packed_.view(), 0, kMostUnpacked, unpacked_);
  if (!done.complete) {
    throw store_->file()->error(ErrorCode::corrupt, message.row.page,
                                "a compressed message is damaged");
  }
  return unpacked_.view();
}

}  // namespace kitbag::sqlite3
