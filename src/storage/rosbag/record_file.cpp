#include "storage/rosbag/record_file.h"

#include <algorithm>

namespace kitbag::rosbag {

namespace {

/// Buffers that stay with a bag between chunks, so that their pages are touched once.
constexpr std::size_t kIdleBufferBytes = 64 << 20;
/// A chunk header as every writer makes it is 45 to 60 bytes long.
constexpr std::size_t kChunkHeadBytes = 256;
/// A chunk without a promised size may grow to this.
constexpr std::size_t kUnpromisedChunkBytes = 256 << 20;

}  // namespace

RecordWindow::RecordWindow(const ReadFile& file, std::string path, std::size_t window_bytes)
    : file_(file), path_(std::move(path)), window_bytes_(window_bytes) {}

ByteView RecordWindow::bytes(std::uint64_t offset, std::size_t count) {
  bool inside = offset >= start_ && offset + count <= start_ + window_.size();
  if (!inside) {
    std::uint64_t size = file_.size();
    std::uint64_t left = offset < size ? size - offset : 0;
    window_.resize(
        static_cast<std::size_t>(std::min<std::uint64_t>(left, std::max(count, window_bytes_))));
    window_.resize(file_.read(offset, window_.span()));
    start_ = offset;
  }
  auto skip = static_cast<std::size_t>(offset - start_);
  return window_.view().subspan(skip, std::min(count, window_.size() - skip));
}

std::optional<RecordHead> RecordWindow::head(std::uint64_t offset) {
  constexpr std::size_t kLength = sizeof(std::uint32_t);
  ByteView length = bytes(offset, kLength);
  if (length.size() < kLength) return std::nullopt;
  auto header_bytes = load_le<std::uint32_t>(length.data());
  if (header_bytes == 0 || header_bytes > kMaxHeaderBytes) return std::nullopt;
  ByteView all = bytes(offset, kLength + header_bytes + kLength);
  if (all.size() < kLength + header_bytes + kLength) return std::nullopt;
  auto fields = Fields::parse(all.subspan(kLength, header_bytes));
  if (!fields) return std::nullopt;
  return RecordHead{offset, std::move(*fields), offset + all.size(),
                    load_le<std::uint32_t>(all.data() + kLength + header_bytes)};
}

std::optional<Record> RecordWindow::record(std::uint64_t offset, std::size_t limit) {
  auto found = head(offset);
  if (!found || found->data_size > limit) return std::nullopt;
  return parse_record(bytes(offset, static_cast<std::size_t>(found->end() - offset)));
}

FileHeader read_file_header(const ReadFile& file, const std::string& path) {
  std::uint64_t start = kVersionLine.size();
  RecordWindow window(file, path, kFileHeaderBytes);
  auto record = window.head(start);
  if (!record || record->end() > file.size()) {
    if (file.size() < start + 2 * sizeof(std::uint32_t) + kFileHeaderBytes) {
      throw Error(ErrorCode::truncated,
                  "the file ends inside its header, before the first message; nothing can be saved",
                  path, file.size());
    }
    throw Error(ErrorCode::corrupt, "the file header record is damaged", path, start);
  }
  if (record->header.op() != static_cast<std::uint8_t>(Op::file_header)) {
    throw Error(ErrorCode::corrupt, "the first record is not a file header", path, start);
  }
  std::string_view encryptor = record->header.text("encryptor");
  if (!encryptor.empty()) {
    throw Error(ErrorCode::unsupported, "the bag is encrypted by " + std::string(encryptor), path,
                start);
  }
  auto index_pos = record->header.number<std::uint64_t>("index_pos");
  auto connections = record->header.number<std::uint32_t>("conn_count");
  auto chunks = record->header.number<std::uint32_t>("chunk_count");
  if (!index_pos || !connections || !chunks) {
    throw Error(ErrorCode::corrupt, "the file header lacks index_pos, conn_count or chunk_count",
                path, start);
  }
  return {*index_pos, *connections, *chunks, record->end()};
}

std::optional<ChunkHead> parse_chunk_head(const RecordHead& record) {
  if (record.header.op() != static_cast<std::uint8_t>(Op::chunk)) return std::nullopt;
  ChunkHead head;
  head.offset = record.offset;
  head.data_offset = record.data_offset;
  head.stored_bytes = record.data_size;
  auto compression = record.header.find("compression");
  if (compression) head.compression = as_text(*compression);
  head.size = record.header.number<std::uint32_t>("size");
  return head;
}

ChunkFile::ChunkFile(std::shared_ptr<const ReadFile> file, std::string path)
    : file_(std::move(file)), path_(std::move(path)), buffers_(kIdleBufferBytes) {}

std::optional<ChunkHead> ChunkFile::head(std::uint64_t offset) const {
  RecordWindow window(*file_, path_, kChunkHeadBytes);
  auto record = window.head(offset);
  if (!record) return std::nullopt;
  return parse_chunk_head(*record);
}

ChunkBody ChunkFile::body(const ChunkHead& head, std::size_t trailing_bytes) const {
  ChunkBody body;
  std::uint64_t size = file_->size();
  std::uint64_t left = head.data_offset < size ? size - head.data_offset : 0;
  std::uint64_t wanted = std::uint64_t{head.stored_bytes} + trailing_bytes;
  std::shared_ptr<Buffer> raw = buffers_.take();
  raw->resize(static_cast<std::size_t>(std::min(left, wanted)));
  raw->resize(file_->read(head.data_offset, raw->span()));

  std::size_t stored_bytes = std::min<std::size_t>(head.stored_bytes, raw->size());
  ByteView stored = raw->view().first(stored_bytes);
  body.trailing = raw->view().subspan(stored_bytes);
  body.owner = raw;
  if (stored_bytes < head.stored_bytes) {
    body.fault = error(ErrorCode::truncated,
                       "the file ends inside this chunk: " + std::to_string(stored_bytes) + " of " +
                           std::to_string(head.stored_bytes) + " bytes are there",
                       head.offset);
  }
  if (head.compression == "none") {
    body.content = stored;
    if (head.size && *head.size != head.stored_bytes && !body.fault) {
      body.fault =
          error(ErrorCode::corrupt, "the chunk's size and data length disagree", head.offset);
    }
  } else {
    inflate(head, stored, body);
  }
  return body;
}

/// Decompresses into a second buffer; the first stays in its place for `trailing`.
void ChunkFile::inflate(const ChunkHead& head, ByteView stored, ChunkBody& body) const {
  auto decompressor = take_decompressor(head.compression);
  if (!decompressor) {
    body.fault = error(ErrorCode::unsupported,
                       "the chunk is compressed by '" + head.compression + "', which is not known",
                       head.offset);
    return;
  }
  // Both buffers in one owner: `trailing` points into the first.
  struct Both {
    std::shared_ptr<const Buffer> raw;
    std::shared_ptr<Buffer> content;
  };
  auto both = std::make_shared<Both>(Both{body.owner, buffers_.take()});
  std::size_t limit =
      head.size ? std::min<std::size_t>(*head.size, kMaxChunkBytes) : kUnpromisedChunkBytes;
  Decompressed result =
      decompressor->decompress(stored, head.size.value_or(0), limit, *both->content);
  body.content = both->content->view();
  body.owner = std::shared_ptr<const Buffer>(both, both->content.get());
  bool sound = result.complete && (!head.size || *head.size == body.content.size());
  if (!sound && !body.fault) {
    body.fault = error(ErrorCode::corrupt,
                       "the chunk's " + head.compression + " data is damaged: " +
                           std::to_string(body.content.size()) + " bytes came out" +
                           (head.size ? " of " + std::to_string(*head.size) : std::string()),
                       head.offset);
  }
  std::lock_guard lock(mutex_);
  decompressors_.emplace_back(head.compression, std::move(decompressor));
}

std::unique_ptr<Decompressor> ChunkFile::take_decompressor(const std::string& name) const {
  std::lock_guard lock(mutex_);
  auto it = std::find_if(decompressors_.begin(), decompressors_.end(),
                         [&](const auto& idle) { return idle.first == name; });
  if (it == decompressors_.end()) return make_decompressor(name);
  auto decompressor = std::move(it->second);
  decompressors_.erase(it);
  return decompressor;
}

}  // namespace kitbag::rosbag
