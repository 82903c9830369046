#include "storage/mcap/settings.h"

#include <algorithm>

#include "compress/zstd.h"
#include "kitbag/error.h"
#include "storage/mcap/records.h"

namespace kitbag::mcap {

namespace {

// As the presets of rosbag2 set them.
constexpr int kZstdFastest = -5;
constexpr int kZstdSlowest = 19;
constexpr std::size_t kSmallChunkBytes = 4 << 20;

void apply_preset(const std::string& preset, Settings& settings) {
  if (preset.empty() || preset == "none") return;
  if (preset == "fastwrite") {
    settings.compression.clear();
    settings.is_chunked = settings.has_data_crc = settings.has_summary_crc = false;
  } else if (preset == "zstd_fast") {
    settings.compression = "zstd";
    settings.zstd_level = kZstdFastest;
    settings.has_chunk_crc = false;
  } else if (preset == "zstd_small") {
    settings.compression = "zstd";
    settings.zstd_level = kZstdSlowest;
    settings.chunk_bytes = kSmallChunkBytes;
  } else {
    throw Error(ErrorCode::invalid, "MCAP does not support the preset \"" + preset + "\"");
  }
}

}  // namespace

ChunkPipe::MakeCompressor Settings::make_packer() const {
  if (compression.empty()) return {};
  if (compression == "lz4") return [] { return make_compressor("lz4"); };
  return [level = zstd_level] { return make_zstd_compressor(level); };
}

Settings make_settings(const WriteOptions& options) {
  const std::string& name = options.compression;
  if (name != "none" && name != "lz4" && name != "zstd") {
    throw Error(ErrorCode::invalid,
                "MCAP supports the compressions none, lz4 and zstd, not '" + name + "'");
  }
  Settings settings;
  settings.compression = name == "none" ? "" : name;
  settings.chunk_bytes = std::min<std::size_t>(options.chunk_bytes, kMaxChunkBytes);
  settings.is_chunked = options.is_chunked;
  settings.has_chunk_crc = settings.has_data_crc = settings.has_summary_crc = options.has_crc;
  apply_preset(options.preset, settings);
  settings.conventions = rosbag2::conventions_of(options);
  return settings;
}

}  // namespace kitbag::mcap
