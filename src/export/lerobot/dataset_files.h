#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "export/lerobot/camera_video.h"
#include "export/lerobot/config.h"
#include "export/lerobot/statistics.h"
#include "kitbag/exporter.h"

namespace kitbag::lerobot {

/// A column of the dataset.
struct ColumnInfo {
  std::string name;
  std::string dtype;  ///< "float32", "image", "video"
  std::vector<std::uint64_t> shape;
  std::vector<std::string> names;  ///< empty: none

  bool is_camera() const { return dtype == "image" || dtype == "video"; }
};

/// What is known of an episode that was written.
struct Episode {
  std::string task;
  std::uint64_t begin = 0;                  ///< the first row, of all episodes
  std::uint64_t end = 0;                    ///< behind the last one
  std::uint64_t file = 0;                   ///< of data, from 0
  std::vector<Statistics> statistics = {};  ///< by column
  std::vector<VideoSpan> videos = {};       ///< of the columns that are videos, in their order
};

/// How many files LeRobot has in a folder.
inline constexpr std::uint64_t kFilesOfAChunk = 1000;
/// A file of data that is larger gets no more episodes.
inline constexpr std::uint64_t kDataFileBytes = 100 << 20;

/// "chunk-000/file-012.parquet"
std::string file_in_chunk(std::uint64_t file, std::string_view extension = ".parquet");

/// Writes what is in the folder "meta". Returns how many files, and their size.
Exported write_meta(const Config& config, const std::vector<ColumnInfo>& columns,
                    const std::vector<Episode>& episodes, const ExportJob& job);

/// Returns the tasks of the episodes, each once, in the order of their numbers.
std::vector<std::string> tasks_of(const std::vector<Episode>& episodes);

}  // namespace kitbag::lerobot
