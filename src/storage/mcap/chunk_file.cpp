#include "storage/mcap/chunk_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/crc32.h"

// A chunk has three sizes: the length of its record, the length of its stored records, and their
// size before compression. None of them is trusted with memory: what is read is limited by the file
// and by MemoryLimit, what is unpacked by MemoryLimit.
//
// A size above the limit is either true or damaged. To find out, such a chunk is unpacked up to 16
// MiB: if it ends before that, the size was wrong and the content is used.
//
// A wrong CRC is a fault, but the content is given nevertheless. The CRC covers the whole chunk, so
// nobody knows which message it concerns, and most of them are right.
//
// Only compressed chunks go through the cache of the session. The others are in the page cache of
// the system already.

namespace kitbag::mcap {

namespace {

/// What is read and summed at once: it is summed while it is still in the core's cache.
constexpr std::size_t kPieceBytes = 1 << 20;
/// Names of compressions are short.
constexpr std::size_t kMaxCompressionName = 64;
/// The size in the head of a compressed chunk may be damaged: this much is unpacked to find out.
constexpr std::uint64_t kUnpromisedBytes = 16 << 20;

}  // namespace

std::optional<ChunkPlace> ChunkFile::place(std::uint64_t offset) const {
  std::array<std::byte, kRecordHead + ChunkHead::kBytes + kMaxCompressionName> bytes;
  ByteView found = ByteView(bytes).first(file_->read(offset, bytes));
  if (found.size() < kRecordHead || found[0] != std::byte{0x06}) return std::nullopt;
  auto head = parse_chunk_head(found.subspan(kRecordHead));
  if (!head || head->compression.size() > kMaxCompressionName) return std::nullopt;
  ChunkPlace place;
  place.offset = offset;
  place.data_offset = offset + kRecordHead + head->bytes;
  place.stored_bytes = head->records_size;
  place.start_time = head->start;
  place.end_time = head->end;
  place.size = head->uncompressed_size;
  place.crc = head->uncompressed_crc;
  place.compression = head->compression;
  auto length = load_le<std::uint64_t>(&found[1]);
  if (length > UINT64_MAX / 2 || place.stored_bytes > UINT64_MAX / 2) return std::nullopt;
  place.end = offset + kRecordHead + length;
  return place;
}

ChunkFile::ChunkFile(std::shared_ptr<const ReadFile> file, std::string path, bool checks_crc,
                     MemoryLimit limit, std::shared_ptr<ChunkCache> cache)
    : file_(std::move(file)),
      path_(std::move(path)),
      checks_crc_(checks_crc),
      limit_(limit),
      cache_(std::move(cache)),
      buffers_(kIdleBufferBytes) {
  if (cache_) name_ = cache_->name_of(*file_, checks_crc_ ? "mcap" : "mcap without CRC");
}

/// If `crc` is not null, it is set to that of the bytes.
std::shared_ptr<Buffer> ChunkFile::read(std::uint64_t offset, std::uint64_t size,
                                        std::uint32_t* crc) const {
  std::uint64_t there = file_->size();
  auto wanted = static_cast<std::size_t>(std::min(size, offset < there ? there - offset : 0));
  // For a pipe, memory is taken only as the bytes come.
  std::shared_ptr<Buffer> buffer = buffers_.take(file_->is_forward_only() ? 0 : wanted);
  if (!file_->is_forward_only()) buffer->resize(wanted);
  bool reads_pieces = crc || file_->is_forward_only();
  std::size_t at = 0;
  while (at < wanted) {
    std::size_t bytes = reads_pieces ? std::min(kPieceBytes, wanted - at) : wanted;
    buffer->resize(std::max(buffer->size(), at + bytes));
    auto piece = buffer->span().subspan(at, bytes);
    std::size_t count = file_->read(offset + at, piece);
    if (crc) *crc = crc32(piece.first(count), *crc);
    at += count;
    if (count < piece.size()) break;
  }
  buffer->resize(at);
  return buffer;
}

ChunkBody ChunkFile::body(const ChunkPlace& place, const Fetch& fetch) const {
  if (!cache_ || place.compression.empty()) return load(place, fetch.stop);
  Owner shared = cache_->get({name_, place.offset}, fetch, [&] {
    auto loaded = std::make_shared<const ChunkBody>(load(place, fetch.stop));
    bool is_sound = loaded->is_whole && !loaded->fault;
    return ChunkCache::Loaded{loaded, loaded->bytes_pinned, is_sound};
  });
  ChunkBody body = *static_cast<const ChunkBody*>(shared.get());
  body.owner = std::move(shared);
  return body;
}

ChunkBody ChunkFile::load(const ChunkPlace& place, const std::stop_token& stop) const {
  ChunkBody body;
  std::uint64_t most = std::min(limit_.plain(), kMaxChunkBytes);
  if (place.stored_bytes > most) {
    body.is_whole = false;
    body.fault = error(ErrorCode::limit,
                       MemoryLimit::exceeded("the chunk has a size", place.stored_bytes, most),
                       place.offset);
    return body;
  }
  body.is_packed = !place.compression.empty();
  bool sums = !body.is_packed && checks_crc_ && place.crc != 0;
  std::uint32_t crc = 0;
  std::shared_ptr<Buffer> raw = read(place.data_offset, place.stored_bytes, sums ? &crc : nullptr);
  body.is_whole = raw->size() == place.stored_bytes;
  if (!body.is_whole && !body.fault) {
    body.fault = error(ErrorCode::truncated,
                       fmt::format("the file ends within this chunk; it has {} of {} bytes",
                                   raw->size(), place.stored_bytes),
                       place.offset);
  }
  if (body.is_packed) {
    inflate(place, raw->view(), body, stop);
    if (checks_crc_ && place.crc != 0 && body.is_whole) crc = crc32(body.content);
  } else {
    body.content = raw->view();
    body.bytes_pinned = raw->capacity();
    body.owner = std::move(raw);
    if (!body.fault && place.size != place.stored_bytes) {
      body.fault = error(ErrorCode::corrupt,
                         fmt::format("the chunk is not compressed, but its sizes differ: {} and {}",
                                     place.stored_bytes, place.size),
                         place.offset);
    }
  }
  verify(place, crc, body);
  return body;
}

void ChunkFile::verify(const ChunkPlace& place, std::uint32_t crc, ChunkBody& body) const {
  if (!checks_crc_ || place.crc == 0 || body.fault || crc == place.crc) return;
  body.fault =
      error(ErrorCode::corrupt,
            fmt::format("the chunk is damaged: its CRC is {:08x}, expected {:08x}", crc, place.crc),
            place.offset);
}

void ChunkFile::inflate(const ChunkPlace& place, ByteView stored, ChunkBody& body,
                        const std::stop_token& stop) const {
  auto decompressor = decompressors_.take(place.compression);
  if (!decompressor || (place.compression != "lz4" && place.compression != "zstd")) {
    body.is_whole = false;
    body.fault = error(ErrorCode::unsupported,
                       fmt::format("the chunk has the unknown compression '{}'", place.compression),
                       place.offset);
    return;
  }
  std::uint64_t most = std::min(limit_.unpacked(stored.size()), kMaxChunkBytes);
  bool is_too_large = place.size > most;
  // A chunk that declares too large a size is unpacked only until that is proved wrong.
  std::uint64_t promised = is_too_large ? 0 : place.size;
  auto limit = static_cast<std::size_t>(std::min(most, std::max(promised, kUnpromisedBytes)));
  std::shared_ptr<Buffer> content = buffers_.take(static_cast<std::size_t>(promised));
  Decompressed result =
      decompressor->decompress(stored, static_cast<std::size_t>(promised), limit, *content, stop);
  decompressors_.give_back(place.compression, std::move(decompressor));
  if (is_too_large && !result.complete && content->size() >= limit) {
    body.is_whole = false;
    body.fault = error(ErrorCode::limit,
                       MemoryLimit::exceeded("the chunk decompresses to a size", place.size, most),
                       place.offset);
    return;
  }
  body.content = content->view();
  body.bytes_pinned = content->capacity();
  body.owner = std::move(content);
  body.is_whole &= result.complete;
  if (body.fault || (result.complete && place.size == body.content.size())) return;
  body.fault = error(ErrorCode::corrupt,
                     fmt::format("{}: decompressed {} of {} bytes",
                                 result.complete ? "the chunk's size is wrong"
                                                 : fmt::format("the chunk's {} data is damaged",
                                                               place.compression),
                                 body.content.size(), place.size),
                     place.offset);
}

ChunkBody ChunkFile::stretch(std::uint64_t begin, std::uint64_t end) const {
  ChunkBody body;
  if (end - begin > limit_.plain()) {
    body.is_whole = false;
    body.fault = error(
        ErrorCode::limit,
        MemoryLimit::exceeded("the messages here have a size", end - begin, limit_.plain()), begin);
    return body;
  }
  std::shared_ptr<Buffer> raw = read(begin, end - begin, nullptr);
  body.is_whole = raw->size() == end - begin;
  if (!body.is_whole) {
    body.fault =
        error(ErrorCode::truncated, "the file has been truncated since it was opened", begin);
  }
  body.content = raw->view();
  body.bytes_pinned = raw->capacity();
  body.owner = std::move(raw);
  return body;
}

}  // namespace kitbag::mcap
