#pragma once

#include <string>

#include "kitbag/bag.h"
#include "storage/chunked/chunk_pipe.h"

namespace kitbag::mcap {

/// How a file is written: WriteOptions with the preset laid over them.
struct Settings {
  std::string compression;  ///< as MCAP names it: "" is none
  int zstd_level = 1;
  std::size_t chunk_bytes = 0;
  bool is_chunked = true;
  bool has_chunk_crc = true;
  bool has_data_crc = true;  ///< of attachments and of the data section
  bool has_summary_crc = true;

  /// For ChunkPipe; empty where nothing is compressed.
  ChunkPipe::MakeCompressor make_packer() const;
};

/// Throws Error (invalid) for a compression or preset that there is not.
Settings make_settings(const WriteOptions& options);

}  // namespace kitbag::mcap
