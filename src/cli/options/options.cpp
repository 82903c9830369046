#include "cli/options/options.h"

namespace kitbag::cli {
namespace {

constexpr char kBracketMark = '\x01';
constexpr unsigned kMostThreads = 1024;

}  // namespace

void throw_invalid(const std::string& text) {
  throw Error(ErrorCode::invalid, text);
}

std::string marked(std::string value) {
  if (value.starts_with('[') && value.ends_with(']')) value.insert(0, 1, kBracketMark);
  return value;
}

std::string unmarked(std::string value) {
  if (value.starts_with(kBracketMark)) value.erase(0, 1);
  return value;
}

CLI::Option* add_list(CLI::App& app, const std::string& name, std::vector<std::string>& into,
                      const std::string& value, const std::string& description) {
  return app.add_option(name, into, description)->transform(unmarked)->option_text(value);
}

std::uint64_t parse_positive_size(const std::string& text) {
  std::uint64_t size = parse_size(text);
  if (size == 0) throw_invalid("must be greater than 0");
  return size;
}

Duration parse_positive_duration(const std::string& text) {
  Duration duration = parse_duration(text);
  if (duration <= Duration::zero()) throw_invalid("must be greater than 0");
  return duration;
}

Time parse_absolute_time(const std::string& text) {
  TimePoint point = parse_time(text);
  if (point.from != TimePoint::From::epoch) throw_invalid("must be an absolute time");
  return Time(point.offset);
}

void add_strict(CLI::App& app, ReadingOptions& reading) {
  app.add_flag("--strict", reading.is_strict, "Fail at the first damage instead of continuing")
      ->group("Damaged bags");
}

std::string long_name(const std::string& names) {
  std::size_t begin = names.find("--");
  if (begin == std::string::npos) begin = 0;
  return names.substr(begin, names.find(',', begin) - begin);
}

CLI::Option* add_force(CLI::App& app, bool& may_replace, const std::string& description) {
  return app.add_flag_callback(
      "-f,--force", [&may_replace] { may_replace = true; }, description);
}

CLI::Option* add_gpg_key(CLI::App& app, std::string& gpg_key, const std::string& description) {
  auto parse = [](const std::string& user) {
    if (user.empty()) throw_invalid("expected a user's name, address or key ID, or '*'");
    return user;
  };
  return add_parsed(app, "--gpg-key", gpg_key, parse, "USER", description)->group("Encrypted bags");
}

void add_taking_for(CLI::App& app, ReadingOptions& reading) {
  constexpr const char* kGroup = "Reading";
  add_text(app, "--storage-format", reading.format, "NAME",
           "Read the bags as this format, such as mcap. Default:\ndetermined by their content")
      ->group(kGroup);
  app.add_flag_callback(
         "--ignore-crc", [&reading] { reading.check_crc = false; },
         "Skip the verification of checksums")
      ->group(kGroup);
  add_number(app, "--read-threads", reading.threads, "N",
             "Decompress with N threads; 1 uses no extra threads.\nDefault: one per core", 0U,
             kMostThreads)
      ->group(kGroup);
  app.add_flag("--allow-outside", reading.allow_outside,
               "Read files outside a directory if its metadata.yaml\nnames them")
      ->group(kGroup);
  add_parsed(app, "--max-memory", reading.max_memory_bytes, parse_positive_size, "SIZE",
             "Limit the memory of one message or chunk. Default:\n4 GiB, but 64 MiB for data that "
             "decompresses to more\nthan 16 times its size")
      ->group(kGroup);
}

void add_reading(CLI::App& app, ReadingOptions& reading) {
  add_taking_for(app, reading);
  add_gpg_key(
      app, reading.gpg_key,
      "Decrypt bags with gpg's secret key of USER ('*': any\nkey). Ignored for unencrypted bags");
}

void add_definitions(CLI::App& app, std::vector<std::string>& folders) {
  add_list(app, "--definitions", folders, "DIR...",
           "Search these folders for missing definitions, before\nthe folders in the environment")
      ->group("Missing definitions");
}

void add_order(CLI::App& app, Order& order, TimeField& by) {
  constexpr const char* kGroup = "Order";
  add_choice<Order>(
      app, "--order", order,
      {{"time", Order::time}, {"reverse_time", Order::reverse_time}, {"file", Order::file}},
      "Order messages by time, by time backwards, or as\nstored. Default: time")
      ->group(kGroup);
  add_by(app, by);
}

void add_by(CLI::App& app, TimeField& by) {
  add_choice<TimeField>(
      app, "--by", by,
      {{"log_time", TimeField::log_time}, {"publish_time", TimeField::publish_time}},
      "Order and select by the time of reception (log_time)\nor of sending (publish_time). "
      "Default: log_time")
      ->group("Order");
}

void add_topics(CLI::App& app, Selection& select) {
  constexpr const char* kGroup = "Topic selection";
  auto add = [&](const char* name, std::vector<std::string>& into, const char* value,
                 const char* description) {
    add_list(app, name, into, value, description)->group(kGroup);
  };
  add("--topics", select.topics, "TOPIC...", "Select topics by name or glob; * and ? also match /");
  add("--regex", select.topic_expressions, "EXPR...",
      "Select topics whose whole name matches a regular\nexpression");
  add("--exclude", select.exclude, "TOPIC...", "Skip topics, by name or glob");
  add("--exclude-regex", select.exclude_expressions, "EXPR...",
      "Skip topics whose whole name matches a regular\nexpression");
  add("--types", select.types, "TYPE...", "Select topics by type, given by name or glob");
}

void add_range(CLI::App& app, SelectOptions& select) {
  constexpr const char* kGroup = "Message selection";
  add_parsed(app, "--start", select.start, parse_time, "TIME", "Skip messages before this time")
      ->group(kGroup);
  add_parsed(app, "--end", select.end, parse_time, "TIME", "Skip messages from this time on")
      ->group(kGroup);
  add_parsed(
      app, "--duration", select.duration, parse_positive_duration, "DURATION",
      "Limit the range to this long, from --start or up\nto --end. Default: from the first message")
      ->group(kGroup);
}

void add_select(CLI::App& app, SelectOptions& select) {
  constexpr const char* kGroup = "Message selection";
  add_topics(app, select.select);
  add_range(app, select);
  app.add_flag("--latched", select.with_latched,
               "Include the last message of each latched channel\nbefore --start, such as a map")
      ->group(kGroup);
  add_number(app, "--count", select.count, "N", "Stop after the first N selected messages")
      ->group(kGroup);
  add_order(app, select.order, select.by);
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

void add_on_error(CLI::App& app, OnError& on_error, const std::string& description) {
  add_choice<OnError>(app, "--on-error", on_error,
                      {{"stop", OnError::stop}, {"skip", OnError::skip}, {"raw", OnError::raw}},
                      description)
      ->group("Message content");
}

CLI::Option* add_renames(CLI::App& app, const std::string& name, std::vector<std::string>& into) {
  return add_list(app, name, into, "OLD:=NEW...", "Rename topics")->group("Topic selection");
}

std::vector<std::pair<std::string, std::string>> parse_renames(
    const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, std::string>> renames;
  for (const std::string& text : texts) {
    std::size_t sign = text.find(":=");
    if (sign == std::string::npos || sign == 0 || sign + 2 == text.size()) {
      throw_invalid(fmt::format("--rename: expected OLD:=NEW, got \"{}\"", text));
    }
    renames.emplace_back(text.substr(0, sign), text.substr(sign + 2));
  }
  return renames;
}

void add_evolution(CLI::App& app, TranscodingOptions& transcoding) {
  constexpr const char* kGroup = "Message content";
  add_list(app, "--to-definitions", transcoding.to_definitions, "DIR...",
           "Convert messages to the definitions in these folders:\ncopy fields of the same name, "
           "set new ones to their\ndefaults")
      ->group(kGroup);
  add_text(app, "--migrate", transcoding.migrate, "FILE",
           "Read conversion rules: new names of types and fields,\nand values for new fields")
      ->group(kGroup);
}

void add_payload(CLI::App& app, PayloadOptions& payload) {
  add_text(app, "--where", payload.where, "CONDITION",
           "Select messages whose fields meet a condition, such as\n'linear.x > 0.5 && frame == "
           "\"map\"'")
      ->group("Message selection");
  add_definitions(app, payload.definitions);
  add_evolution(app, payload.transcoding);
}

void add_transcoding(CLI::App& app, PayloadOptions& payload, const std::string& on_error) {
  add_payload(app, payload);
  add_text(app, "--encoding", payload.transcoding.encoding, "ros1|cdr|protobuf|json",
           "Convert payloads and their schemas to this encoding.\nDefault: unchanged")
      ->group("Message content");
  add_on_error(app, payload.on_error, on_error);
}

void add_print(CLI::App& app, PrintOptions& print) {
  constexpr const char* kGroup = "Message content";
  using NotANumber = CodecOptions::NotANumber;
  using Bytes = CodecOptions::Bytes;
  add_list(app, "--fields", print.fields, "PATH...",
           "Print only these fields, such as pose.position.x")
      ->delimiter(',')
      ->group(kGroup);
  add_choice<NotANumber>(app, "--nan", print.codec.not_a_number,
                         {{"null", NotANumber::null}, {"string", NotANumber::text}},
                         "Select how JSON shows NaN and infinities. Default:\nnull")
      ->group(kGroup);
  add_choice<Bytes>(app, "--bytes", print.codec.bytes,
                    {{"base64", Bytes::base64}, {"array", Bytes::array}, {"omit", Bytes::omit}},
                    "Select how lists of uint8 are printed. Default: base64")
      ->group(kGroup);
  app.add_flag(
         "--escape-formulas", print.escapes_formulas,
         "Put ' before CSV texts that begin with = + - @, which\nspreadsheets treat as formulas")
      ->group(kGroup);
  add_on_error(app, print.on_error,
               "Handle messages that cannot be decoded: skip and\ncount them; print their bytes "
               "(raw); or stop.\nDefault: skip");
}

void require_plain_range(const SelectOptions& select) {
  if (select.start && select.end && select.duration) {
    throw_invalid("use at most two of --start, --end and --duration");
  }
  if (select.with_latched && select.order != Order::time) {
    throw_invalid("--latched requires --order time");
  }
}

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
