#pragma once

#include <memory>

#include "compress/compression.h"
#include "storage/sqlite3/message_row.h"
#include "storage/sqlite3/reader.h"

namespace kitbag::sqlite3 {

/// Loads payloads that cannot be used where they are: those that span several pages, and compressed
/// ones. One thread at a time.
class PayloadReader {
 public:
  explicit PayloadReader(const Store& store) : store_(&store) {}

  /// The payload is in `message.row` as it is.
  bool is_ready(const MessageRow& message, std::uint32_t slot) const {
    return message.row.overflow == 0 && !is_compressed(message, slot);
  }

  /// `take_room` is given a number of bytes and gives the memory for them. Throws Error (corrupt,
  /// truncated, limit).
  template <class TakeRoom>
  ByteView read(const MessageRow& message, std::uint32_t slot, TakeRoom&& take_room) {
    std::size_t size = stored_bytes(message);
    if (!is_compressed(message, slot)) {
      std::span<std::byte> room = take_room(size);
      read_payload(*store_->file(), message.row, message.data_offset, room, scratch_);
      return room;
    }
    ByteView unpacked = unpack(message, size);
    std::span<std::byte> room = take_room(unpacked.size());
    if (!unpacked.empty()) std::memcpy(room.data(), unpacked.data(), unpacked.size());
    return room;
  }

 private:
  bool is_compressed(const MessageRow& message, std::uint32_t slot) const;
  Error too_large(const MessageRow& message, std::string_view verb, std::uint64_t bytes,
                  std::uint64_t most) const;
  std::size_t stored_bytes(const MessageRow& message) const;
  ByteView unpack(const MessageRow& message, std::size_t size);

  const Store* store_;
  std::unique_ptr<Decompressor> decompressor_;
  Buffer scratch_;
  Buffer packed_;
  Buffer unpacked_;
};

}  // namespace kitbag::sqlite3
