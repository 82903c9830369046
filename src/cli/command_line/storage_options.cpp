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
  for (const std::string& part : split_words(text)) {
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

void add_force(Verb& verb, bool& may_replace, const std::string& description) {
  auto allow = [&may_replace] { may_replace = true; };
  verb.common(verb.add_flag_callback("-f,--force", allow, description)->group(kOutputGroup));
}

void add_output(Verb& verb, OutputOptions& output, CLI::Option* inputs) {
  // CLI11 keeps as many words from an option before them as the inputs need.
  // Without this, the words behind a list option before the inputs would all be its values, and
  // `--topics /a in.bag out.bag` would lack a bag. -o and --output-dir leave one input to be kept,
  // and so act while the line is parsed (trigger_on_parse).
  constexpr int kMost = CLI::detail::expected_max_vector_size;
  if (inputs) inputs->expected(2, kMost);
  auto take = [inputs](std::string& into) {
    return [inputs, &into](std::string text) {
      into = std::move(text);
      if (inputs) inputs->expected(1, kMost);
    };
  };
  verb.common(
      add_taken(verb, "-o,--output", take(output.path), "OUT", "Write one bag, OUT, of all inputs")
          ->trigger_on_parse()
          ->group(kOutputGroup));
  verb.common(add_taken(verb, "--output-dir", take(output.folder), "DIR",
                        "Write a bag of the same name into DIR for each input")
                  ->trigger_on_parse()
                  ->group(kOutputGroup));
  add_recursive(verb, output.is_recursive)->group(kOutputGroup);
}

void add_jobs(Verb& verb, OutputOptions& output) {
  verb.common(add_number(verb, "-j,--jobs", output.jobs, "N",
                         "Convert N bags at the same time. Default: 1", 1U, kMostThreads)
                  ->group(kOutputGroup));
  verb.add_flag("--json", output.as_json, "Print a JSON object for each bag that is written")
      ->group(kOutputGroup);
}

std::vector<CLI::Option*> add_split(Verb& verb, SplitLimits& split) {
  std::vector<CLI::Option*> options = {
      add_parsed(verb, "--split-size", split.bytes, parse_positive_size, "SIZE",
                 "Start the next file at this size, such as 1GB"),
      add_parsed(verb, "--split-duration", split.duration, parse_positive_duration, "DURATION",
                 "Start the next file after this much message time, such as 10m"),
      add_parsed(verb, "--split-messages", split.messages, parse_positive_size, "N",
                 "Start the next file after this many messages")};
  for (CLI::Option* option : options) verb.common(option)->group(kSplittingGroup);
  return options;
}

void add_storage(Verb& verb, WriteOptions& write, const std::string& compression) {
  verb.common(add_text(verb, "--compression", write.compression, "none|lz4|bz2|zstd|zstd_file",
                       fmt::format("Compress the chunks or messages, or (zstd_file) the files of a "
                                   "directory. Default: {}",
                                   compression))
                  ->group(kStorageGroup));
  add_taken(
      verb, "--chunk-size", [&write](const std::string& text) { take_chunk_sizes(text, write); },
      "SIZE[,TOPIC=SIZE]",
      "Set the size of a chunk before compression. Default: 768KiB. Topics that match TOPIC, a "
      "name or glob, get separate chunks")
      ->group(kStorageGroup);
  add_parsed(verb, "--chunk-duration", write.chunk_duration, parse_positive_duration, "DURATION",
             "Close a chunk also when its messages span this time, or when it has been open for "
             "this long. Default: no limit; 100ms for record")
      ->group(kStorageGroup);
  add_parsed(
      verb, "--sync", write.sync, parse_sync, "none|interval=DURATION|chunk",
      "Sync to the disk only at the end (none), regularly, or after each chunk. Default: none")
      ->group(kStorageGroup);
  add_number(verb, "--threads", write.threads, "N",
             "Compress with N threads. Default: one per core", 0U, kMostThreads)
      ->group(kStorageGroup);
  add_choice<Io>(verb, "--io", write.io,
                 {{"auto", Io::automatic}, {"buffered", Io::buffered}, {"direct", Io::direct}},
                 "Write through the page cache (buffered) or past it (direct). Default: auto, "
                 "direct for large files if that is fast")
      ->group(kStorageGroup);
  add_text(verb, "--format", write.format, "FORMAT",
           "Set the format, such as sqlite3; for a directory, the format of its files. Default: "
           "by OUT's extension")
      ->group(kStorageGroup);
  add_text(verb, "--format-version,--schema-version", write.format_version, "VERSION",
           "Set the version of the format, such as 1.2; for sqlite3, of the schema (2 for Foxy to "
           "Humble). Default: the newest")
      ->group(kStorageGroup);
  add_text(verb, "--ros-distro", write.ros_distro, "NAME",
           "Write for a release of ROS 2, such as humble: set the schema version, the metadata "
           "version and the notation of QoS. Default: for Humble and later")
      ->group(kStorageGroup);
  add_number(
      verb, "--metadata-version", write.metadata_version, "N",
      "Set the version of metadata.yaml: 4 for Foxy; 9, with QoS by name, for Jazzy. Default: 5", 1,
      9)
      ->group(kStorageGroup);
  add_text(verb, "--preset", write.preset, "NAME",
           "Use a preset of rosbag2: fastwrite, zstd_fast or zstd_small for mcap, resilient for "
           "sqlite3")
      ->group(kStorageGroup);
  verb.add_flag_callback(
          "--no-chunks", [&write] { write.is_chunked = false; },
          "Write no chunks, if the format makes them optional")
      ->group(kStorageGroup);
  verb.add_flag_callback(
          "--no-crc", [&write] { write.has_crc = false; },
          "Write no checksums, if the format makes them optional")
      ->group(kStorageGroup);
}

}  // namespace kitbag::cli
