#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "base/memory_limit.h"
#include "compress/decompressor_pool.h"
#include "kitbag/error.h"
#include "kitbag/file.h"
#include "kitbag/message.h"
#include "model/chunk_cache.h"
#include "storage/rosbag/encryption.h"
#include "storage/rosbag/records.h"

namespace kitbag::rosbag {

inline constexpr std::size_t kWindowBytes = 256 << 10;
/// For a look at a single record.
inline constexpr std::size_t kPeekBytes = 4096;
/// Has a chunk's header in it: as every writer makes it, it is 45 to 60 bytes long.
inline constexpr std::size_t kChunkHeadBytes = 256;

/// A record's place in the file; its data is not read.
struct RecordHead {
  std::uint64_t offset = 0;
  Fields header;  ///< views that live until the window moves
  std::uint64_t data_offset = 0;
  std::uint32_t data_size = 0;
  bool is_encrypted = false;

  std::uint64_t end() const { return data_offset + data_size; }
};

/// Reads the records of a file one behind the other through a window. One thread.
class RecordWindow {
 public:
  /// With `cipher`, which must outlive it, encrypted records are read as if they were not.
  RecordWindow(const ReadFile& file, std::string path, std::size_t window_bytes = kWindowBytes,
               const Cipher* cipher = nullptr);

  /// The header of the record at `offset`, or nothing where there is none: zeros, a length beyond
  /// the limits, fields that do not parse, or the end of the file.
  std::optional<RecordHead> head(std::uint64_t offset);
  /// The whole record with its data; also nothing if the data goes beyond the end of the file or
  /// is larger than `limit`.
  std::optional<Record> record(std::uint64_t offset, std::size_t limit);

 private:
  /// `count` bytes at `offset`, fewer at the end of the file; valid until the next call.
  ByteView bytes(std::uint64_t offset, std::size_t count);

  const ReadFile& file_;
  std::string path_;
  std::size_t window_bytes_;
  const Cipher* cipher_;
  DecryptedRecord decrypted_;  ///< the last one
  Buffer window_;
  std::uint64_t start_ = 0;  ///< of the window in the file
};

/// The record at byte 13, as far as a reader needs it.
struct FileHeader {
  std::uint64_t index_pos = 0;  ///< 0: not closed
  std::uint32_t connections = 0;
  std::uint32_t chunks = 0;
  std::uint64_t end = 0;  ///< where the first chunk may begin
  std::optional<Encryption> encryption = std::nullopt;
  std::vector<Metadata> metadata = {};  ///< records that it keeps
  bool has_topics = false;  ///< version 1.3: messages name their topics, there are no connections
  bool is_damaged = false;  ///< all other members are unknown
};

/// Whether the first line says version 1.3.
bool has_topic_line(const ReadFile& file);

/// Throws Error: truncated, corrupt, or locked (encrypted, and no `cipher`).
FileHeader read_file_header(const ReadFile& file, const std::string& path,
                            const Cipher* cipher = nullptr);

struct ChunkHead {
  std::uint64_t offset = 0;
  std::uint64_t data_offset = 0;
  std::uint32_t stored_bytes = 0;
  std::string compression = "none";   ///< absent in first drafts: none
  std::optional<std::uint32_t> size;  ///< uncompressed; absent in first drafts
  /// Its recorder died before it closed it: without a length, and in any bag not encrypted yet.
  bool is_unclosed = false;

  std::uint64_t end() const { return data_offset + stored_bytes; }
  /// Records without a chunk record around them, found behind damage.
  bool is_stretch() const { return data_offset == offset; }
};

/// Bytes that identify compressed data, and their offset in it.
struct CompressionMagic {
  std::string_view compression;
  std::string_view bytes;
  std::size_t at;
};
inline constexpr CompressionMagic kCompressionMagics[] = {{"lz4", "\x04\x22\x4d\x18", 0},
                                                          {"bz2", "1AY&SY", 4}};

/// Nothing if `record` is not a chunk record.
std::optional<ChunkHead> parse_chunk_head(const RecordHead& record);

/// A chunk's content in memory. Views live as long as `owner`.
struct ChunkBody {
  Owner owner;
  std::size_t bytes_pinned = 0;
  ByteView content;   ///< uncompressed: all of it, or what came out before the fault
  ByteView trailing;  ///< bytes of the file behind the chunk's data, as many as asked and there are
  std::optional<Error> fault;
  bool is_packed = false;    ///< compressed or encrypted: content and data are not the same bytes
  bool is_whole = false;     ///< nothing of the content is missing, whatever the fault
  std::size_t consumed = 0;  ///< bytes of the chunk's data that were understood
};

/// Reads chunks. Thread-safe: buffers and decompressors are lent from pools.
class ChunkFile {
 public:
  /// `cipher` for encrypted bags; null for all others.
  ChunkFile(std::shared_ptr<const ReadFile> file, std::string path,
            std::shared_ptr<const Cipher> cipher = nullptr, MemoryLimit limit = MemoryLimit(),
            std::shared_ptr<ChunkCache> cache = nullptr);

  const ReadFile& file() const { return *file_; }
  const std::string& path() const { return path_; }
  /// Null for bags that are not encrypted.
  const Cipher* cipher() const { return cipher_.get(); }
  bool is_encrypted(const ChunkHead& head) const {
    return cipher_ && !head.is_unclosed && !head.is_stretch();
  }
  /// A window on all records of the file, the encrypted ones too. The file must outlive it.
  RecordWindow window(std::size_t bytes = kWindowBytes) const {
    return {*file_, path_, bytes, cipher_.get()};
  }

  /// Nothing if there is no chunk record at `offset`.
  std::optional<ChunkHead> head(std::uint64_t offset) const;
  /// How a chunk is compressed; where its head has a damaged name, by what the data begins with.
  std::string compression_of(const ChunkHead& head) const;
  /// Reads and unpacks a chunk, with `trailing_bytes` of the file after it, or returns what another
  /// reader has of it.
  ChunkBody body(const ChunkHead& head, std::size_t trailing_bytes, const Fetch& fetch = {}) const;
  const std::shared_ptr<ChunkCache>& cache() const { return cache_; }
  Error error(ErrorCode code, const std::string& message, std::uint64_t offset) const {
    return Error(code, message, path_, offset);
  }

 private:
  ChunkBody load(const ChunkHead& head, std::size_t trailing_bytes,
                 const std::stop_token& stop) const;
  ByteView decrypt(const ChunkHead& head, std::span<std::byte> stored, ChunkBody& body) const;
  void inflate(const ChunkHead& head, const std::string& compression, ByteView stored,
               ChunkBody& body, const std::stop_token& stop) const;

  std::shared_ptr<const ReadFile> file_;
  std::string path_;
  std::shared_ptr<const Cipher> cipher_;
  MemoryLimit limit_;
  std::shared_ptr<ChunkCache> cache_;
  std::shared_ptr<const std::string> name_;  ///< in the cache
  mutable BufferPool buffers_;
  mutable DecompressorPool decompressors_;
};

/// As above, of a bag that is open.
inline FileHeader read_file_header(const ChunkFile& file) {
  return read_file_header(file.file(), file.path(), file.cipher());
}

/// How the bag is encrypted; nothing where it is not, or its header cannot be read.
std::optional<Encryption> find_encryption(const ReadFile& file, const std::string& path);

/// Opens a bag for reading; if it is encrypted, with the key of gpg that `gpg_key` names. Throws
/// Error as unlock().
std::shared_ptr<const ChunkFile> open_chunk_file(std::shared_ptr<const ReadFile> file,
                                                 const std::string& path,
                                                 const std::string& gpg_key, MemoryLimit limit,
                                                 std::shared_ptr<ChunkCache> cache = nullptr);

}  // namespace kitbag::rosbag
