#include "storage/mcap/salvage.h"

#include <algorithm>

#include "storage/chunked/file_window.h"

// A chunk record says more than once where it ends:
//
//     06 | length | times, size, CRC, compression, records size | records | next record
//        |<-------------------------- length -------------------------->|
//                                                 |<-- records size -->|
//
// and the size before compression says it again if there is no compression. If two of them
// disagree, one is damaged. The end after which a record begins is believed: first that of the
// length, then that of the records size, then that of the uncompressed size. Only the opcodes of
// the specification count here, because any larger byte could be the opcode of a private or a
// future record.

namespace kitbag::mcap {

namespace {

constexpr std::size_t kFollowBytes = 4096;

/// A record may begin at `offset`, or the file ends there.
bool may_follow(const ReadFile& file, std::uint64_t offset, std::uint64_t records_end) {
  if (offset == records_end) return true;
  if (offset > records_end) return false;
  Buffer bytes;
  bytes.resize(
      static_cast<std::size_t>(std::min<std::uint64_t>(kFollowBytes, records_end - offset)));
  bytes.resize(file.read(offset, bytes.span()));
  if (bytes.size() == 0) return false;
  RunScratch scratch;
  RunRecord record = RecordParser().parse(bytes.view(), scratch);
  bool is_known = std::to_integer<std::uint8_t>(bytes.data()[0]) <= 0x0F;
  return is_known && record.kind != RunRecord::Kind::damaged &&
         record.bytes <= records_end - offset;
}

}  // namespace

std::optional<std::uint64_t> indexed_messages(const ReadFile& file, std::uint64_t offset) {
  constexpr std::size_t kWindow = 64 << 10;
  FileWindow window;
  std::uint64_t size = file.size();
  std::optional<std::uint64_t> messages;
  for (;;) {
    ByteView head = window.at(file, size, offset, kRecordHead, kWindow);
    if (head.size() < kRecordHead || head[0] != std::byte{0x07}) return messages;
    auto length = load_le<std::uint64_t>(&head[1]);
    if (length > kMaxDefinitionBytes || length > size - offset - kRecordHead) return std::nullopt;
    ByteView bytes = window.at(file, size, offset, kRecordHead + length, kWindow);
    auto record = parse_record(bytes);
    auto index = record ? parse_message_index(record->content) : std::nullopt;
    if (!index) return std::nullopt;
    messages = messages.value_or(0) + index->count();
    offset += record->bytes;
  }
}

std::optional<ChunkPlace> settle(const ChunkFile& file, ChunkPlace place,
                                 std::uint64_t records_end) {
  if (place.is_consistent() && place.end <= records_end) return place;
  if (place.data_offset > records_end) return std::nullopt;
  if (place.end > place.data_offset && may_follow(file.file(), place.end, records_end)) {
    place.stored_bytes = place.end - place.data_offset;
    return place;
  }
  std::uint64_t uncompressed_end = place.data_offset + std::min(place.size, kMaxChunkBytes);
  bool is_plain = place.compression.empty();
  for (std::uint64_t end : {place.data_end(), is_plain ? uncompressed_end : place.data_end()}) {
    if (!may_follow(file.file(), end, records_end)) continue;
    place.stored_bytes = end - place.data_offset;
    place.end = end;
    return place;
  }
  if (!place.is_consistent()) return std::nullopt;
  return place;  // the file ends in it
}

}  // namespace kitbag::mcap
