#include "storage/rosbag/record_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "storage/rosbag/metadata.h"

// Reading chunks of bags that nobody checks. Each of these is handled here, so that the rest sees a
// content and perhaps a fault:
//
//     a length that leads beyond the file         what is there, and "truncated"
//     no `size`, as in first drafts               unpacked without an expected size
//     a damaged `size`                            unpacked again, as far as is reasonable
//     a damaged name of the compression           found by the first bytes of the data
//     encrypted data that is cut off              all whole blocks, then as much as unpacks
//     a size above the memory limit               16 MiB are unpacked, to see whether it is true
//
// `trailing` are the bytes behind the chunk's data, read by the same call. If the chunk is
// compressed, they lie in another buffer than the content, so one owner keeps both. A chunk that is
// not compressed is given where it was read, without a copy.
//
// Encrypted records of the index section hide their own `op`. A header is tried with the key only
// if it does not parse or has no op, so plain records cost nothing.

namespace kitbag::rosbag {

namespace {

/// Buffers that stay with a bag between chunks, so that their pages are touched once.
constexpr std::size_t kIdleBufferBytes = 64 << 20;
/// The size in the head of a compressed chunk may be damaged: this much is unpacked to find out.
constexpr std::size_t kUnpromisedBytes = 16 << 20;

}  // namespace

RecordWindow::RecordWindow(const ReadFile& file, std::string path, std::size_t window_bytes,
                           const Cipher* cipher)
    : file_(file), path_(std::move(path)), window_bytes_(window_bytes), cipher_(cipher) {}

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
  ByteView header = all.subspan(kLength, header_bytes);
  auto fields = Fields::parse(header);
  bool is_odd = !fields || fields->op() == 0;
  auto opened = cipher_ && is_odd ? decrypted_.open_header(header, *cipher_) : std::nullopt;
  bool is_encrypted = opened.has_value();
  if (is_encrypted) fields = std::move(opened);
  if (!fields) return std::nullopt;
  return RecordHead{offset, std::move(*fields), offset + all.size(),
                    load_le<std::uint32_t>(all.data() + kLength + header_bytes), is_encrypted};
}

std::optional<Record> RecordWindow::record(std::uint64_t offset, std::size_t limit) {
  auto found = head(offset);
  if (!found || found->data_size > limit) return std::nullopt;
  ByteView whole = bytes(offset, static_cast<std::size_t>(found->end() - offset));
  if (!found->is_encrypted) return parse_record(whole);
  if (whole.size() < found->end() - offset) return std::nullopt;
  auto data = decrypted_.open_data(whole.last(found->data_size), *cipher_);
  if (!data) return std::nullopt;
  return Record{std::move(found->header), *data, whole.size()};
}

bool has_topic_line(const ReadFile& file) {
  std::array<std::byte, kVersionLine1_3.size()> line;
  return as_text(ByteView(line).first(file.read(0, line))) == kVersionLine1_3;
}

FileHeader read_file_header(const ReadFile& file, const std::string& path, const Cipher* cipher) {
  std::uint64_t start = kVersionLine.size();
  RecordWindow window(file, path, kFileHeaderBytes);
  auto record = window.head(start);
  if (!record || record->end() > file.size()) {
    if (file.size() < start + 2 * sizeof(std::uint32_t) + kFileHeaderBytes) {
      throw Error(ErrorCode::truncated,
                  "the file ends within its header, before the first message; nothing can be saved",
                  path, file.size());
    }
    throw Error(ErrorCode::corrupt, "the file header record is damaged", path, start);
  }
  if (record->header.op() != static_cast<std::uint8_t>(Op::file_header)) {
    throw Error(ErrorCode::corrupt, "the first record is not a file header", path, start);
  }
  auto encryption = parse_encryption(record->header);
  if (encryption && !cipher) unlock(*encryption, "", path);  // throws: there is no key
  auto index_pos = record->header.number<std::uint64_t>("index_pos");
  bool has_topics = has_topic_line(file);
  auto connections =
      record->header.number<std::uint32_t>(has_topics ? "topic_count" : "conn_count");
  auto chunks = record->header.number<std::uint32_t>("chunk_count");
  if (!index_pos || !connections || !chunks) {
    throw Error(ErrorCode::corrupt, "the file header lacks index_pos, conn_count or chunk_count",
                path, start);
  }
  return {*index_pos,    *connections,          *chunks,
          record->end(), std::move(encryption), parse_metadata(record->header),
          has_topics};
}

std::optional<ChunkHead> parse_chunk_head(const RecordHead& record) {
  if (record.header.kind() != Op::chunk) return std::nullopt;
  ChunkHead head;
  head.offset = record.offset;
  head.data_offset = record.data_offset;
  head.stored_bytes = record.data_size;
  head.is_unclosed = record.data_size == 0;
  auto compression = record.header.find("compression");
  if (compression) head.compression = as_text(*compression);
  head.size = record.header.number<std::uint32_t>("size");
  return head;
}

ChunkFile::ChunkFile(std::shared_ptr<const ReadFile> file, std::string path,
                     std::shared_ptr<const Cipher> cipher, MemoryLimit limit,
                     std::shared_ptr<ChunkCache> cache)
    : file_(std::move(file)),
      path_(std::move(path)),
      cipher_(std::move(cipher)),
      limit_(limit),
      cache_(std::move(cache)),
      buffers_(kIdleBufferBytes) {
  if (cache_) name_ = cache_->name_of(*file_, cipher_ ? "rosbag, decrypted" : "rosbag");
}

std::optional<Encryption> find_encryption(const ReadFile& file, const std::string& path) {
  RecordWindow window(file, path, kFileHeaderBytes);
  auto record = window.head(kVersionLine.size());
  if (!record) return std::nullopt;
  return parse_encryption(record->header);
}

std::shared_ptr<const ChunkFile> open_chunk_file(std::shared_ptr<const ReadFile> file,
                                                 const std::string& path,
                                                 const std::string& gpg_key, MemoryLimit limit,
                                                 std::shared_ptr<ChunkCache> cache) {
  std::shared_ptr<const Cipher> cipher;
  if (auto encryption = find_encryption(*file, path)) cipher = unlock(*encryption, gpg_key, path);
  return std::make_shared<const ChunkFile>(std::move(file), path, std::move(cipher), limit,
                                           std::move(cache));
}

std::optional<ChunkHead> ChunkFile::head(std::uint64_t offset) const {
  RecordWindow window(*file_, path_, kChunkHeadBytes);
  auto record = window.head(offset);
  if (!record) return std::nullopt;
  return parse_chunk_head(*record);
}

std::string ChunkFile::compression_of(const ChunkHead& head) const {
  const std::string& name = head.compression;
  if (name == "none" || name == "lz4" || name == "bz2") return name;
  std::byte bytes[kChunkHeadBytes];
  ByteView begin = ByteView(bytes).first(file_->read(head.data_offset, bytes));
  for (const CompressionMagic& magic : kCompressionMagics) {
    if (begin.size() < magic.at) continue;
    if (as_text(begin.subspan(magic.at)).starts_with(magic.bytes)) {
      return std::string(magic.compression);
    }
  }
  RecordWindow window(*file_, path_, kChunkHeadBytes);
  auto record = window.head(head.data_offset);
  return record && record->header.op() != 0 ? "none" : name;
}

ChunkBody ChunkFile::body(const ChunkHead& head, std::size_t trailing_bytes,
                          const Fetch& fetch) const {
  bool is_packed = head.compression != "none" || is_encrypted(head);
  if (!cache_ || !is_packed || head.is_stretch()) return load(head, trailing_bytes, fetch.stop);
  Owner shared = cache_->get({name_, head.offset}, fetch, [&] {
    auto loaded = std::make_shared<const ChunkBody>(load(head, trailing_bytes, fetch.stop));
    bool is_sound = loaded->is_packed && loaded->is_whole && !loaded->fault;
    return ChunkCache::Loaded{loaded, loaded->bytes_pinned + head.stored_bytes, is_sound};
  });
  ChunkBody body = *static_cast<const ChunkBody*>(shared.get());
  // A reader that does not use the index has read less of what follows the chunk.
  if (body.trailing.size() < trailing_bytes && !body.fault)
    return load(head, trailing_bytes, fetch.stop);
  body.owner = std::move(shared);
  return body;
}

ChunkBody ChunkFile::load(const ChunkHead& head, std::size_t trailing_bytes,
                          const std::stop_token& stop) const {
  ChunkBody body;
  std::uint64_t size = file_->size();
  std::uint64_t left = head.data_offset < size ? size - head.data_offset : 0;
  std::uint64_t wanted = std::uint64_t{head.stored_bytes} + trailing_bytes;
  if (std::min(left, wanted) > limit_.plain()) {
    body.fault =
        error(ErrorCode::limit,
              MemoryLimit::exceeded("the chunk has a size", head.stored_bytes, limit_.plain()),
              head.offset);
    return body;
  }
  auto there = static_cast<std::size_t>(std::min(left, wanted));
  std::shared_ptr<Buffer> raw = buffers_.take(there);
  raw->resize(there);
  raw->resize(file_->read(head.data_offset, raw->span()));

  std::size_t stored_bytes = std::min<std::size_t>(head.stored_bytes, raw->size());
  ByteView stored = raw->view().first(stored_bytes);
  body.trailing = raw->view().subspan(stored_bytes);
  body.owner = raw;
  body.bytes_pinned = raw->capacity();
  body.consumed = stored_bytes;
  body.is_whole = stored_bytes == head.stored_bytes;
  if (stored_bytes < head.stored_bytes) {
    body.fault = error(ErrorCode::truncated,
                       "the file ends within this chunk; it has " + std::to_string(stored_bytes) +
                           " of " + std::to_string(head.stored_bytes) + " bytes",
                       head.offset);
  }
  if (is_encrypted(head)) stored = decrypt(head, raw->span().first(stored_bytes), body);
  std::string compression = compression_of(head);
  body.is_packed = compression != "none" || is_encrypted(head);
  // A writer that has nothing to compress may write nothing, not even the frame of nothing.
  bool is_empty = head.stored_bytes == 0 && head.size.value_or(0) == 0;
  if (compression == "none" || is_empty) {
    body.content = stored;
    if (head.size && *head.size != stored.size() && !body.fault) {
      body.fault = error(ErrorCode::corrupt, "the chunk's size differs from the length of its data",
                         head.offset);
    }
  } else {
    inflate(head, compression, stored, body, stop);
  }
  if (is_encrypted(head)) {  // it ends with its padding, and begins behind a block of its own
    body.consumed =
        std::min(stored_bytes, body.is_whole ? stored_bytes : body.consumed + Cipher::kBlockBytes);
  }
  if (compression != head.compression && !body.fault) {
    body.fault = error(ErrorCode::corrupt,
                       "the name of the chunk's compression is damaged; its data is " + compression,
                       head.offset);
  }
  return body;
}

/// In place. Of a chunk that is cut off, or damaged at its end, all its whole blocks.
ByteView ChunkFile::decrypt(const ChunkHead& head, std::span<std::byte> stored,
                            ChunkBody& body) const {
  Cipher::Decrypted decrypted = cipher_->decrypt(stored);
  body.is_whole &= decrypted.is_whole;
  if (!decrypted.is_whole && !body.fault) {
    body.fault = error(ErrorCode::corrupt,
                       "the chunk's encrypted data is damaged, or was encrypted with another key",
                       head.offset);
  }
  return body.fault ? decrypted.blocks : decrypted.plain;
}

/// Decompresses into a second buffer; the first stays in its place for `trailing`.
void ChunkFile::inflate(const ChunkHead& head, const std::string& compression, ByteView stored,
                        ChunkBody& body, const std::stop_token& stop) const {
  auto decompressor = decompressors_.take(compression);
  if (!decompressor) {
    body.is_whole = false;
    body.fault =
        error(ErrorCode::unsupported,
              "the chunk has the unknown compression '" + head.compression + "'", head.offset);
    return;
  }
  // Both buffers in one owner: `trailing` points into the first.
  struct Both {
    Owner raw;
    std::shared_ptr<Buffer> content;
  };
  auto most = static_cast<std::size_t>(limit_.unpacked(stored.size()));
  std::size_t promised = head.size.value_or(0);
  bool is_too_large = promised > most;
  auto both = std::make_shared<Both>(Both{body.owner, buffers_.take(is_too_large ? 0 : promised)});
  // A chunk that declares too large a size is unpacked only until that is proved wrong.
  std::size_t limit = head.size ? promised : most;
  if (is_too_large) limit = std::min(most, kUnpromisedBytes);
  Decompressed result =
      decompressor->decompress(stored, is_too_large ? 0 : promised, limit, *both->content, stop);
  // The size in the head is only believed as a limit for the first try: a damaged one would cut off
  // what the data still has.
  bool is_at_limit = !result.complete && both->content->size() >= limit;
  if (is_at_limit && head.size && !is_too_large) {
    std::size_t more = std::min(most, std::max(2 * promised, kUnpromisedBytes));
    Decompressed unpromised = decompressor->decompress(stored, 0, more, *both->content, stop);
    if (unpromised.complete) {
      result = unpromised;
    } else {
      both->content->resize(std::min(limit, both->content->size()));
    }
  } else if (is_at_limit) {
    both->content->clear();
    body.fault = error(
        ErrorCode::limit,
        MemoryLimit::exceeded("the chunk decompresses to a size", std::max(promised, limit), most),
        head.offset);
  }
  body.content = both->content->view();
  body.bytes_pinned = both->content->capacity();
  body.owner = both;
  body.consumed = result.consumed;
  body.is_whole = result.complete;
  bool sound = result.complete && (!head.size || *head.size == body.content.size());
  if (!sound && !body.fault) {
    std::string what = result.complete ? "the chunk's size is wrong: "
                                       : "the chunk's " + compression + " data is damaged: ";
    body.fault =
        error(ErrorCode::corrupt,
              what + "decompressed " + std::to_string(body.content.size()) +
                  (head.size ? " of " + std::to_string(*head.size) : std::string()) + " bytes",
              head.offset);
  }
  decompressors_.give_back(compression, std::move(decompressor));
}

}  // namespace kitbag::rosbag
