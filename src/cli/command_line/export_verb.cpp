#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"

namespace kitbag::cli {
namespace {

constexpr VerbText kExportText{
    .summary = "Write topics as tables, pictures, videos, point clouds or trajectories.",
    .more = "A row of a table is a message, with the column \"time\" and a column for each field.",
    .examples = R"(  kitbag export day/*.mcap -o tables/ --topics /odom --fields pose.pose.position
  kitbag export run.bag -o pictures/ --format images --start +10s --duration 1min
  kitbag export run.bag -o poses/ --format tum --topics /odom --time header_stamp)",
    .notes = R"(Formats:
  parquet  Apache Parquet, compressed with zstd (.parquet)
  arrow    the file form of Arrow IPC (.arrow)
  csv      as kitbag cat prints it: a column for each field, lists as JSON (.csv)
  hdf5     one file, export.h5, with a group for each topic, for MATLAB, Julia and h5py
  lerobot  a LeRobot dataset (v3.0) for training; --config names its rate, topics and fields
  images   a folder for each topic, with a picture for each message, named by its time: JPEG and
           PNG as they are, others as PNG; and images.csv
  pcd ply  likewise, with point clouds; scans become points
  tum kitti     trajectories: a line for each pose of Odometry, Pose..., Path and transforms
  gpx geojson   tracks of NavSatFix and the like
  mp4 mkv  a video of each topic with pictures or a video, with the times of its frames
           (.times.csv). H.264, H.265, VP9 and AV1 stay as they are; pictures become H.264

"/camera/image_raw" is written to camera__image_raw.parquet. Structures are structs, lists are
lists, times are timestamps in nanoseconds (UTC). Topics of several bags become one table: if the
type of a field differs, the column is wide enough for both, or is JSON, and a warning says so. The
files get their names when all are complete.)"};

std::vector<std::pair<std::string, std::string>> presets() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const char* name : {"ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow",
                           "slower", "veryslow"}) {
    all.emplace_back(name, name);
  }
  return all;
}

/// Throws Error (invalid) for options of videos with another format.
void require_video_fits(const ExportRequest& request) {
  if (request.video == VideoOptions()) return;
  // Known here by name: formats that are plugins are not loaded while the line is parsed.
  for (const char* format : {"mp4", "mkv", "lerobot"}) {
    if (request.format == format) return;
  }
  throw_invalid("--crf and --preset are for --format mp4, mkv and lerobot");
}

/// "map:base_link"
FramePair frames_of(const std::string& text) {
  std::size_t colon = text.find(':');
  bool is_pair = colon != std::string::npos && colon > 0 && colon + 1 < text.size() &&
                 text.find(':', colon + 1) == std::string::npos;
  if (!is_pair) throw_invalid("--frame takes PARENT:CHILD, such as map:base_link");
  return {text.substr(0, colon), text.substr(colon + 1)};
}

}  // namespace

void add_export(CommandLine& line) {
  auto arguments = std::make_shared<ExportArguments>();
  Verb& verb =
      line.add_verb("export", kReadingVerbs, kExportText, arguments, export_bags, [arguments] {
        require_plain_range(arguments->select);
        require_video_fits(arguments->request);
        if (!arguments->frame.empty()) arguments->request.frame = frames_of(arguments->frame);
      });
  ExportRequest& request = arguments->request;
  add_many_bags(verb, arguments->bags, "Bags to export; their messages are merged");
  verb.common(add_text(verb, "-o,--output", arguments->folder, "DIR",
                       "Write the files into this folder, which is created if there is none, or "
                       "s3://BUCKET/PREFIX")
                  ->required()
                  ->group(kOutputGroup));
  add_force(verb, request.may_replace, "Replace existing files");
  verb.common(add_text(verb, "--format", request.format, "FORMAT",
                       "Select the format: parquet, arrow, csv, hdf5, lerobot, images, pcd, ply, "
                       "tum, kitti, gpx, geojson, mp4 or mkv. Default: parquet")
                  ->group(kOutputGroup));
  verb.offer("FORMAT", export_format_names);
  verb.common(add_choice<Partition>(
                  verb, "--partition", request.partition,
                  {{"day", Partition::by_day}, {"bag", Partition::by_bag}},
                  "Write a file for each day (UTC) or bag: odom/day=2026-11-24/part.parquet, as "
                  "DuckDB's hive_partitioning reads it")
                  ->group(kOutputGroup));
  add_text(verb, "--config", arguments->config, "FILE",
           "Read which rate, topics and fields the LeRobot dataset has, in YAML")
      ->group(kContentGroup);
  add_text(verb, "--frame", arguments->frame, "PARENT:CHILD",
           "Write the path of CHILD in PARENT, from the transforms and their stamps (tum, kitti)")
      ->group(kContentGroup);
  add_choice<TimeFormat>(
      verb, "--time-format", request.csv.time_format,
      {{"ns", TimeFormat::ns}, {"seconds", TimeFormat::seconds}, {"iso", TimeFormat::iso}},
      "Select how CSV shows times. Default: ns")
      ->group(kContentGroup);
  verb.add_flag("--escape-formulas", request.csv.escapes_formulas,
                "Put ' before CSV texts that begin with = + - @, which spreadsheets treat as "
                "formulas")
      ->group(kContentGroup);
  verb.add_flag("--json", arguments->as_json, "Print a JSON object for each file")
      ->group(kOutputGroup);
  add_select(verb, arguments->select);
  verb.common(add_where(verb, arguments->payload.where));
  verb.common(add_count(verb, arguments->select.count));
  verb.common(add_words(verb, "--fields", request.columns.fields, "FIELD...",
                        "Write only these fields, such as pose.position.x,ranges[0]")
                  ->group(kContentGroup));
  verb.common(add_choice<RowTime>(
                  verb, "--time", request.columns.time,
                  {{"log_time", RowTime::log_time},
                   {"publish_time", RowTime::publish_time},
                   {"header_stamp", RowTime::header_stamp}},
                  "Use these times in files and their names; messages without a header have "
                  "their log time. Default: log_time")
                  ->group(kContentGroup));
  add_number(
      verb, "--crf", request.video.crf, "N",
      "Set the quality of the video (mp4, mkv, lerobot): 0 is lossless, 51 is worst. Default: 20",
      0U, 51U)
      ->group(kOutputGroup);
  add_choice<std::string>(
      verb, "--preset", request.video.preset, presets(),
      "Set how hard the encoder works for a smaller file (mp4, mkv, lerobot). Default: medium")
      ->group(kOutputGroup);
  add_on_error(verb, request.columns.on_error,
               "Handle messages that cannot be decoded: skip and count them; export them without "
               "fields (raw); stop. Default: stop");
  add_definitions(verb, arguments->payload.definitions);
  add_evolution(verb, arguments->payload.transcoding);
  add_reading(verb, arguments->reading);
}

}  // namespace kitbag::cli
