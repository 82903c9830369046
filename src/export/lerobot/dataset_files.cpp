#include "export/lerobot/dataset_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "export/lerobot/parquet_rows.h"
#include "kitbag/escape.h"

// The files of version 3.0 of LeRobot's datasets that describe the data. Its readers find rows by
// position: episodes by the order of rows, tasks by the index of a pandas frame, which the footer
// of the file has to tell.
//
//     data/chunk-000/file-000.parquet              rows
//     videos/CAMERA/chunk-000/file-000.mp4         frames of cameras that are videos
//     meta/info.json                               features, and how files are named
//     meta/stats.json                              statistics of all episodes
//     meta/tasks.parquet                           task by index
//     meta/episodes/chunk-000/file-000.parquet     where each episode is, and its statistics

namespace kitbag::lerobot {
namespace {

using arrow::ColumnType;

/// Says that the column "task" is the index of the frame.
constexpr const char* kPandas =
    R"({"index_columns": ["task"], "column_indexes": [], "columns": [)"
    R"({"name": "task_index", "field_name": "task_index", "pandas_type": "int64", )"
    R"("numpy_type": "int64", "metadata": null}, )"
    R"({"name": "task", "field_name": "task", "pandas_type": "unicode", )"
    R"("numpy_type": "object", "metadata": null}], )"
    R"("creator": {"library": "kitbag", "version": "0"}, "pandas_version": "2.0.0"})";

std::uint64_t write_text(const std::string& name, const std::string& text, ExportFolder& folder) {
  auto file = folder.create(name);
  file->append(std::as_bytes(std::span(text)));
  file->commit();
  return text.size();
}

/// As Python's json reads it.
std::string json_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return fmt::format("{}", value);
}

std::string json_texts(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  quoted.reserve(texts.size());
  for (const std::string& text : texts) quoted.push_back(json_quoted(text));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

/// [1, 2], or for a camera [[[1]], [[2]], [[3]]].
std::string json_values(const std::vector<double>& values, bool is_camera) {
  std::vector<std::string> all;
  all.reserve(values.size());
  for (double value : values) {
    all.push_back(is_camera ? "[[" + json_number(value) + "]]" : json_number(value));
  }
  return fmt::format("[{}]", fmt::join(all, ", "));
}

/// The names of the statistics with numbers, and where they are.
std::vector<std::pair<std::string, const std::vector<double>*>> parts_of(const Statistics& all) {
  std::vector<std::pair<std::string, const std::vector<double>*>> parts = {
      {"min", &all.min}, {"max", &all.max}, {"mean", &all.mean}, {"std", &all.std}};
  for (std::size_t q = 0; q < kQuantiles.size(); ++q) {
    parts.emplace_back(kQuantileNames[q], &all.quantiles[q]);
  }
  return parts;
}

std::string stats_json(const std::vector<ColumnInfo>& columns,
                       const std::vector<Episode>& episodes) {
  std::vector<std::string> features;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::vector<const Statistics*> each;
    each.reserve(episodes.size());
    for (const Episode& episode : episodes) each.push_back(&episode.statistics[i]);
    Statistics all = pooled(each);
    std::vector<std::string> stats;
    for (const auto& [name, values] : parts_of(all)) {
      stats.push_back(
          fmt::format("        \"{}\": {}", name, json_values(*values, columns[i].is_camera())));
    }
    stats.push_back(fmt::format("        \"count\": [{}]", all.count));
    features.push_back(fmt::format("    {}: {{\n{}\n    }}", json_quoted(columns[i].name),
                                   fmt::join(stats, ",\n")));
  }
  return fmt::format("{{\n{}\n}}", fmt::join(features, ",\n"));
}

/// What LeRobot asks of a video file, and how its own writer calls it.
std::string video_info(const ColumnInfo& column, unsigned fps) {
  return fmt::format(
      R"(,
            "info": {{
                "video.height": {},
                "video.width": {},
                "video.codec": "h264",
                "video.pix_fmt": "yuv420p",
                "video.is_depth_map": false,
                "video.fps": {},
                "video.channels": 3,
                "has_audio": false
            }})",
      column.shape[0], column.shape[1], fps);
}

std::string info_json(const Config& config, const std::vector<ColumnInfo>& columns,
                      const std::vector<Episode>& episodes) {
  std::vector<std::string> features;
  features.reserve(columns.size());
  for (const ColumnInfo& column : columns) {
    features.push_back(
        fmt::format("        {}: {{\n            \"dtype\": \"{}\",\n            \"shape\": [{}],\n"
                    "            \"names\": {}{}\n        }}",
                    json_quoted(column.name), column.dtype, fmt::join(column.shape, ", "),
                    column.names.empty() ? "null" : json_texts(column.names),
                    column.dtype == "video" ? video_info(column, config.fps) : ""));
  }
  bool has_videos = std::any_of(columns.begin(), columns.end(),
                                [](const ColumnInfo& column) { return column.dtype == "video"; });
  std::string robot = config.robot_type.empty() ? "null" : json_quoted(config.robot_type);
  return fmt::format(
      R"({{
    "codebase_version": "v3.0",
    "robot_type": {},
    "total_episodes": {},
    "total_frames": {},
    "total_tasks": {},
    "chunks_size": {},
    "data_files_size_in_mb": {},
    "video_files_size_in_mb": {},
    "fps": {},
    "splits": {{
        "train": "0:{}"
    }},
    "data_path": "data/chunk-{{chunk_index:03d}}/file-{{file_index:03d}}.parquet",
    "video_path": {},
    "features": {{
{}
    }}
}})",
      robot, episodes.size(), episodes.back().end, tasks_of(episodes).size(), kFilesOfAChunk,
      kDataFileBytes >> 20, kVideoFileBytes >> 20, config.fps, episodes.size(),
      has_videos ? R"("videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4")"
                 : "null",
      fmt::join(features, ",\n"));
}

std::uint64_t write_tasks(const std::vector<std::string>& tasks, const ExportJob& job) {
  ColumnType type{"", "+s"};
  type.children = {number_column("task_index", "int64"), arrow::text_type("task")};
  ParquetOptions options = job.request.parquet;
  options.key_values.emplace_back("pandas", kPandas);
  ParquetRows file("meta/tasks.parquet", std::move(type), job.folder, options);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    file.columns()[0].add(static_cast<std::int64_t>(i));
    file.columns()[1].add_text(tasks[i]);
    file.end_row();
  }
  return file.finish();
}

/// A list of numbers, in two more lists for a camera.
ColumnType list_of_numbers(const std::string& name, bool is_camera) {
  ColumnType list = arrow::list_type(number_column("item", "float64"), is_camera ? "item" : name);
  if (!is_camera) return list;
  return arrow::list_type(arrow::list_type(std::move(list), "item"), name);
}

void add_list(arrow::Column& column, const std::vector<double>& values, bool is_camera) {
  column.begin_list(values.size());
  for (double value : values) {
    if (!is_camera) {
      column.element().add(value);
      continue;
    }
    column.element().begin_list(1);
    column.element().element().begin_list(1);
    column.element().element().element().add(value);
  }
}

std::uint64_t write_episodes(const std::vector<ColumnInfo>& columns, unsigned fps,
                             const std::vector<Episode>& episodes, const ExportJob& job) {
  ColumnType type{"", "+s"};
  for (const char* name :
       {"episode_index", "length", "data/chunk_index", "data/file_index", "dataset_from_index",
        "dataset_to_index", "meta/episodes/chunk_index", "meta/episodes/file_index"}) {
    type.children.push_back(number_column(name, "int64"));
  }
  for (const ColumnInfo& column : columns) {
    if (column.dtype != "video") continue;
    std::string prefix = "videos/" + column.name + "/";
    type.children.push_back(number_column(prefix + "chunk_index", "int64"));
    type.children.push_back(number_column(prefix + "file_index", "int64"));
    type.children.push_back(number_column(prefix + "from_timestamp", "float64"));
    type.children.push_back(number_column(prefix + "to_timestamp", "float64"));
  }
  type.children.push_back(arrow::list_type(arrow::text_type("item"), "tasks"));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::string prefix = "stats/" + columns[i].name + "/";
    for (const auto& [name, values] : parts_of(episodes.front().statistics[i])) {
      type.children.push_back(list_of_numbers(prefix + name, columns[i].is_camera()));
    }
    type.children.push_back(arrow::list_type(number_column("item", "int64"), prefix + "count"));
  }
  ParquetRows file("meta/episodes/" + file_in_chunk(0), std::move(type), job.folder,
                   job.request.parquet);
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    const Episode& episode = episodes[e];
    auto column = file.columns().begin();
    for (std::uint64_t number : {std::uint64_t{e}, episode.end - episode.begin,
                                 episode.file / kFilesOfAChunk, episode.file % kFilesOfAChunk,
                                 episode.begin, episode.end, std::uint64_t{0}, std::uint64_t{0}}) {
      (column++)->add(static_cast<std::int64_t>(number));
    }
    for (const VideoSpan& video : episode.videos) {
      (column++)->add(static_cast<std::int64_t>(video.file / kFilesOfAChunk));
      (column++)->add(static_cast<std::int64_t>(video.file % kFilesOfAChunk));
      (column++)->add(static_cast<double>(video.begin) / fps);
      (column++)->add(static_cast<double>(video.end) / fps);
    }
    column->begin_list(1);
    (column++)->element().add_text(episode.task);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      for (const auto& [name, values] : parts_of(episode.statistics[i])) {
        add_list(*column++, *values, columns[i].is_camera());
      }
      column->begin_list(1);
      (column++)->element().add(static_cast<std::int64_t>(episode.statistics[i].count));
    }
    file.end_row();
  }
  return file.finish();
}

}  // namespace

std::string file_in_chunk(std::uint64_t file, std::string_view extension) {
  return fmt::format("chunk-{:03}/file-{:03}{}", file / kFilesOfAChunk, file % kFilesOfAChunk,
                     extension);
}

std::vector<std::string> tasks_of(const std::vector<Episode>& episodes) {
  std::vector<std::string> tasks;
  for (const Episode& episode : episodes) {
    if (std::find(tasks.begin(), tasks.end(), episode.task) == tasks.end()) {
      tasks.push_back(episode.task);
    }
  }
  return tasks;
}

Exported write_meta(const Config& config, const std::vector<ColumnInfo>& columns,
                    const std::vector<Episode>& episodes, const ExportJob& job) {
  Exported written{.topic = {}, .path = {}, .files = 4};
  written.size_bytes =
      write_text("meta/info.json", info_json(config, columns, episodes), job.folder) +
      write_text("meta/stats.json", stats_json(columns, episodes), job.folder) +
      write_tasks(tasks_of(episodes), job) + write_episodes(columns, config.fps, episodes, job);
  return written;
}

}  // namespace kitbag::lerobot
