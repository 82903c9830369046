#include "cli/command_line/options.h"

namespace kitbag::cli {
namespace {

SyncPolicy parse_sync(const std::string& text) {
  constexpr std::string_view kInterval = "interval=";
  if (text == "none") return {};
  if (text == "chunk") return {.when = SyncPolicy::When::chunk};
  if (text.starts_with(kInterval)) {
    return {SyncPolicy::When::interval, parse_positive_duration(text.substr(kInterval.size()))};
  }
  throw_invalid(
      fmt::format("invalid value \"{}\"; expected none, interval=DURATION or chunk", text));
}

/// "1MiB,/camera/*=8MiB": the size for all, where there is one without a topic, and those of
/// topics.
void take_chunk_sizes(const std::string& text, WriteOptions& write) {
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t end = std::min(text.find(',', begin), text.size());
    std::string part = text.substr(begin, end - begin);
    begin = end + 1;
    std::size_t sign = part.rfind('=');
    if (sign == 0) throw_invalid("the topic is missing before \"" + part + "\"");
    if (sign == std::string::npos) {
      write.chunk_bytes = parse_positive_size(part);
    } else {
      write.topic_chunks.push_back(
          {part.substr(0, sign), parse_positive_size(part.substr(sign + 1))});
    }
  }
}

}  // namespace

CLI::Option* add_force(CLI::App& app, bool& may_replace, const std::string& description) {
  return app.add_flag_callback(
      "-f,--force", [&may_replace] { may_replace = true; }, description);
}

std::vector<CLI::Option*> add_split(CLI::App& app, SplitLimits& split, const std::string& group) {
  std::vector<CLI::Option*> options = {
      add_parsed(app, "--split-size", split.bytes, parse_positive_size, "SIZE",
                 "Start the next file at this size"),
      add_parsed(app, "--split-duration", split.duration, parse_positive_duration, "DURATION",
                 "Start the next file after this much message time"),
      add_parsed(app, "--split-messages", split.messages, parse_positive_size, "N",
                 "Start the next file after this many messages")};
  for (CLI::Option* option : options) option->group(group);
  return options;
}

void add_storage(CLI::App& app, WriteOptions& write, const std::string& compression) {
  constexpr const char* kGroup = "Storage of OUT";
  add_text(
      app, "--compression", write.compression, "none|lz4|bz2|zstd|zstd_file",
      fmt::format(
          "Compress the chunks or messages, or (zstd_file) the\nfiles of a directory. Default: {}",
          compression))
      ->group(kGroup);
  add_taken(
      app, "--chunk-size", [&write](const std::string& text) { take_chunk_sizes(text, write); },
      "SIZE[,TOPIC=SIZE]",
      "Set the size of a chunk before compression. Default:\n768KiB. Topics that match TOPIC, a "
      "name or glob, get\nseparate chunks")
      ->group(kGroup);
  add_parsed(app, "--chunk-duration", write.chunk_duration, parse_positive_duration, "DURATION",
             "Also close a chunk when its messages span this time,\nor when it has been open for "
             "this long. "
             "Default: no\nlimit; 100ms for record")
      ->group(kGroup);
  add_parsed(
      app, "--sync", write.sync, parse_sync, "none|interval=DURATION|chunk",
      "Sync to the disk only at the end (none), regularly, or\nafter each chunk. Default: none")
      ->group(kGroup);
  add_number(app, "--threads", write.threads, "N", "Compress with N threads. Default: one per core",
             0U, kMostThreads)
      ->group(kGroup);
  add_choice<Io>(app, "--io", write.io,
                 {{"auto", Io::automatic}, {"buffered", Io::buffered}, {"direct", Io::direct}},
                 "Write through the page cache (buffered) or past it\n(direct). Default: auto, "
                 "direct for large files if\nthat is fast")
      ->group(kGroup);
  add_text(app, "--format", write.format, "NAME",
           "Set the format, such as sqlite3; for a directory, the\nformat of its files. Default: "
           "by OUT's extension")
      ->group(kGroup);
  add_text(app, "--format-version,--schema-version", write.format_version, "VERSION",
           "Set the version of the format, such as 1.2; for\nsqlite3, of the schema (2 for Foxy to "
           "Humble).\nDefault: the newest")
      ->group(kGroup);
  add_text(app, "--ros-distro", write.ros_distro, "NAME",
           "Write for a release of ROS 2, such as humble: set the\nschema version, the metadata "
           "version and the notation\nof QoS. Default: for Humble and later")
      ->group(kGroup);
  add_number(
      app, "--metadata-version", write.metadata_version, "N",
      "Set the version of metadata.yaml: 4 for Foxy; 9, with\nQoS by name, for Jazzy. Default: 5",
      1, 9)
      ->group(kGroup);
  add_text(app, "--preset", write.preset, "NAME",
           "Use a preset of rosbag2: fastwrite, zstd_fast or\nzstd_small for mcap, resilient for "
           "sqlite3")
      ->group(kGroup);
  app.add_flag_callback(
         "--no-chunks", [&write] { write.is_chunked = false; },
         "Write no chunks, if the format makes them optional")
      ->group(kGroup);
  app.add_flag_callback(
         "--no-crc", [&write] { write.has_crc = false; },
         "Write no checksums, if the format makes them optional")
      ->group(kGroup);
}

}  // namespace kitbag::cli
