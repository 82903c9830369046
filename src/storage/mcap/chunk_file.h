#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/buffer.h"
#include "base/memory_limit.h"
#include "compress/decompressor_pool.h"
#include "kitbag/bag.h"
#include "kitbag/error.h"
#include "kitbag/file.h"
#include "model/chunk_cache.h"
#include "storage/mcap/records.h"

namespace kitbag::mcap {

/// The place of a chunk, according to its own head.
struct ChunkPlace {
  std::uint64_t offset = 0;       ///< of its record
  std::uint64_t data_offset = 0;  ///< of its records
  std::uint64_t stored_bytes = 0;
  std::uint64_t end = 0;  ///< of its record, by the length in front of it
  std::uint64_t start_time = 0;
  std::uint64_t end_time = 0;
  std::uint64_t size = 0;  ///< uncompressed
  std::uint32_t crc = 0;   ///< 0: none
  std::string compression = {};

  std::uint64_t data_end() const { return data_offset + stored_bytes; }
  /// The records fit into the chunk's record.
  bool is_consistent() const { return data_end() <= end; }
};

/// The records of a chunk in memory.
struct ChunkBody {
  Owner owner;
  std::size_t bytes_pinned = 0;
  ByteView content;
  bool is_packed = false;  ///< compressed: content and data are not the same bytes
  bool is_whole = true;    ///< the content is all there
  /// What is wrong with it. If the content is whole: its CRC is wrong, so the content may be.
  std::optional<Error> fault = std::nullopt;
};

/// An MCAP file to read chunks from. Thread-safe.
class ChunkFile {
 public:
  /// `cache` shares compressed chunks; null: they are not shared.
  ChunkFile(std::shared_ptr<const ReadFile> file, std::string path, bool checks_crc,
            MemoryLimit limit = MemoryLimit(), std::shared_ptr<ChunkCache> cache = nullptr);

  const ReadFile& file() const { return *file_; }
  const std::shared_ptr<const ReadFile>& shared_file() const { return file_; }
  const std::string& path() const { return path_; }
  const std::shared_ptr<ChunkCache>& cache() const { return cache_; }
  bool checks_crc() const { return checks_crc_; }
  const MemoryLimit& limit() const { return limit_; }
  Error error(ErrorCode code, const std::string& message, std::uint64_t offset) const {
    return Error(code, message, path_, offset);
  }

  /// Nothing if there is no chunk record at `offset`.
  std::optional<ChunkPlace> place(std::uint64_t offset) const;
  /// Reads and unpacks what is there of a chunk, or returns what another reader has of it.
  ChunkBody body(const ChunkPlace& place, const Fetch& fetch = {}) const;
  /// The bytes from `begin` to `end` as they are, records that stand outside of chunks. Empty, with
  /// a fault, where they are more than the limit.
  ChunkBody stretch(std::uint64_t begin, std::uint64_t end) const;

 private:
  static constexpr std::size_t kIdleBufferBytes = 16 << 20;

  ChunkBody load(const ChunkPlace& place, const std::stop_token& stop) const;
  std::shared_ptr<Buffer> read(std::uint64_t offset, std::uint64_t size, std::uint32_t* crc) const;
  void inflate(const ChunkPlace& place, ByteView stored, ChunkBody& body,
               const std::stop_token& stop) const;
  void verify(const ChunkPlace& place, std::uint32_t crc, ChunkBody& body) const;

  std::shared_ptr<const ReadFile> file_;
  std::string path_;
  bool checks_crc_;
  MemoryLimit limit_;
  std::shared_ptr<ChunkCache> cache_;
  std::shared_ptr<const std::string> name_;  ///< in the cache
  mutable BufferPool buffers_;
  mutable DecompressorPool decompressors_;
};

}  // namespace kitbag::mcap
