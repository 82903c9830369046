#pragma once

#include <string>

#include "kitbag/bag.h"
#include "storage/chunked/chunk_pipe.h"
#include "storage/rosbag2/conventions.h"

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
  rosbag2::Conventions conventions;  ///< of channels and metadata of rosbag2

  /// For ChunkPipe; empty where nothing is compressed.
  ChunkPipe::MakeCompressor make_packer() const;
};

/// Throws Error (invalid) for an unknown compression, preset or release.
Settings make_settings(const WriteOptions& options);

}  // namespace kitbag::mcap
