#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "compress/compression.h"
#include "kitbag/error.h"
#include "kitbag/file.h"
#include "storage/rosbag/records.h"

namespace kitbag::rosbag {

/// A record's place in the file; its data is not read.
struct RecordHead {
  std::uint64_t offset = 0;
  Fields header;  ///< views that live until the window moves
  std::uint64_t data_offset = 0;
  std::uint32_t data_size = 0;

  std::uint64_t end() const { return data_offset + data_size; }
};

/// Reads the records of a file one behind the other through a window. One thread.
class RecordWindow {
 public:
  RecordWindow(const ReadFile& file, std::string path, std::size_t window_bytes = 256 << 10);

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
  Buffer window_;
  std::uint64_t start_ = 0;  ///< of the window in the file
};

/// The record at byte 13, as far as a reader needs it.
struct FileHeader {
  std::uint64_t index_pos = 0;  ///< 0: not closed
  std::uint32_t connections = 0;
  std::uint32_t chunks = 0;
  std::uint64_t end = 0;  ///< where the first chunk may begin
};

/// Throws Error: truncated, corrupt, or unsupported (encrypted).
FileHeader read_file_header(const ReadFile& file, const std::string& path);

struct ChunkHead {
  std::uint64_t offset = 0;
  std::uint64_t data_offset = 0;
  std::uint32_t stored_bytes = 0;
  std::string compression = "none";   ///< absent in first drafts: none
  std::optional<std::uint32_t> size;  ///< uncompressed; absent in first drafts

  std::uint64_t end() const { return data_offset + stored_bytes; }
};

/// Nothing if `record` is not a chunk record.
std::optional<ChunkHead> parse_chunk_head(const RecordHead& record);

/// A chunk's content in memory. Views live as long as `owner`.
struct ChunkBody {
  std::shared_ptr<const Buffer> owner;
  ByteView content;   ///< uncompressed: all of it, or what came out before the fault
  ByteView trailing;  ///< bytes of the file behind the chunk's data, as many as asked and there are
  std::optional<Error> fault;
};

/// Reads chunks. Thread-safe: buffers and decompressors are lent from pools.
class ChunkFile {
 public:
  ChunkFile(std::shared_ptr<const ReadFile> file, std::string path);

  const ReadFile& file() const { return *file_; }
  const std::string& path() const { return path_; }

  /// Nothing if there is no chunk record at `offset`.
  std::optional<ChunkHead> head(std::uint64_t offset) const;
  ChunkBody body(const ChunkHead& head, std::size_t trailing_bytes) const;
  Error error(ErrorCode code, const std::string& message, std::uint64_t offset) const {
    return Error(code, message, path_, offset);
  }

 private:
  void inflate(const ChunkHead& head, ByteView stored, ChunkBody& body) const;
  std::unique_ptr<Decompressor> take_decompressor(const std::string& name) const;

  std::shared_ptr<const ReadFile> file_;
  std::string path_;
  mutable BufferPool buffers_;
  mutable std::mutex mutex_;
  mutable std::vector<std::pair<std::string, std::unique_ptr<Decompressor>>> decompressors_;
};

}  // namespace kitbag::rosbag
