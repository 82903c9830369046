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
  if (size == 0) throw_invalid("must be more than 0");
  return size;
}

Duration parse_positive_duration(const std::string& text) {
  Duration duration = parse_duration(text);
  if (duration <= Duration::zero()) throw_invalid("must be more than 0");
  return duration;
}

Time parse_absolute_time(const std::string& text) {
  TimePoint point = parse_time(text);
  if (point.from != TimePoint::From::epoch) throw_invalid("must not be relative");
  return Time(point.offset);
}

void add_strict(CLI::App& app, ReadingOptions& reading) {
  app.add_flag("--strict", reading.is_strict, "Fail at the first damage instead of reading on")
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
    if (user.empty()) throw_invalid("needs a user's name, address or key, or '*'");
    return user;
  };
  return add_parsed(app, "--gpg-key", gpg_key, parse, "USER", description)->group("Encrypted bags");
}

void add_taking_for(CLI::App& app, ReadingOptions& reading) {
  constexpr const char* kGroup = "How bags are read";
  add_text(app, "--storage-format", reading.format, "NAME",
           "Take them for this format, such as mcap, whatever\ntheir names and content tell")
      ->group(kGroup);
  app.add_flag_callback(
         "--ignore-crc", [&reading] { reading.check_crc = false; },
         "Do not verify the checksums that they have")
      ->group(kGroup);
  add_number(app, "--read-threads", reading.threads, "N",
             "Threads that decompress ahead; one a core if not\ngiven, none with 1", 0U,
             kMostThreads)
      ->group(kGroup);
  app.add_flag("--allow-outside", reading.allow_outside,
               "Read files that metadata.yaml of a directory names\noutside of it")
      ->group(kGroup);
  add_parsed(app, "--max-memory", reading.max_memory_bytes, parse_positive_size, "SIZE",
             "The most memory for one message or chunk; if not\ngiven 4 GiB, and 64 MiB for what "
             "unpacks to more\nthan 16 times its size")
      ->group(kGroup);
}

void add_reading(CLI::App& app, ReadingOptions& reading) {
  add_taking_for(app, reading);
  add_gpg_key(app, reading.gpg_key,
              "Read them with the secret key of USER that gpg\nhas; '*': with any");
}

void add_definitions(CLI::App& app, std::vector<std::string>& folders) {
  add_list(app, "--definitions", folders, "DIR...",
           "Folders with the .msg files of types that IN does\nnot define")
      ->group("Definitions that are missing");
}

void add_order(CLI::App& app, Order& order, TimeField& by) {
  constexpr const char* kGroup = "Order";
  add_choice<Order>(
      app, "--order", order,
      {{"time", Order::time}, {"reverse_time", Order::reverse_time}, {"file", Order::file}},
      "By time (default), from the last to the first,\nor as stored")
      ->group(kGroup);
  add_by(app, by);
}

void add_by(CLI::App& app, TimeField& by) {
  add_choice<TimeField>(
      app, "--by", by,
      {{"log_time", TimeField::log_time}, {"publish_time", TimeField::publish_time}},
      "Which time counts, for order and range:\nreceived (default) or sent")
      ->group("Order");
}

void add_topics(CLI::App& app, Selection& select) {
  constexpr const char* kGroup = "Which topics";
  auto add = [&](const char* name, std::vector<std::string>& into, const char* value,
                 const char* description) {
    add_list(app, name, into, value, description)->group(kGroup);
  };
  add("--topics", select.topics, "TOPIC...", "These, by name or glob; * and ? match / too");
  add("--regex", select.topic_expressions, "EXPR...",
      "Those whose whole name an expression matches");
  add("--exclude", select.exclude, "TOPIC...", "Not these, by name or glob");
  add("--exclude-regex", select.exclude_expressions, "EXPR...",
      "Not those that an expression matches");
  add("--types", select.types, "TYPE...", "Those of these types, by name or glob");
}

void add_range(CLI::App& app, SelectOptions& select) {
  constexpr const char* kGroup = "Which messages";
  add_parsed(app, "--start", select.start, parse_time, "TIME", "From this time on")->group(kGroup);
  add_parsed(app, "--end", select.end, parse_time, "TIME", "Until just before this time")
      ->group(kGroup);
  add_parsed(app, "--duration", select.duration, parse_positive_duration, "DURATION",
             "This long from --start, or up to --end")
      ->group(kGroup);
}

void add_select(CLI::App& app, SelectOptions& select) {
  constexpr const char* kGroup = "Which messages";
  add_topics(app, select.select);
  add_range(app, select);
  app.add_flag("--latched", select.with_latched,
               "Before --start the last message of each latched\nchannel, such as a map")
      ->group(kGroup);
  add_number(app, "--count", select.count, "N", "The first N of what is selected")->group(kGroup);
  add_order(app, select.order, select.by);
}

std::vector<CLI::Option*> add_split(CLI::App& app, SplitLimits& split, const std::string& group) {
  std::vector<CLI::Option*> options = {
      add_parsed(app, "--split-size", split.bytes, parse_positive_size, "SIZE",
                 "Go on to the next file at this size"),
      add_parsed(app, "--split-duration", split.duration, parse_positive_duration, "DURATION",
                 "Go on after this much time of the messages"),
      add_parsed(app, "--split-messages", split.messages, parse_positive_size, "N",
                 "Go on after this many messages")};
  for (CLI::Option* option : options) option->group(group);
  return options;
}

void add_on_error(CLI::App& app, OnError& on_error, const std::string& description) {
  add_choice<OnError>(app, "--on-error", on_error,
                      {{"stop", OnError::stop}, {"skip", OnError::skip}, {"raw", OnError::raw}},
                      description)
      ->group("What the messages say");
}

CLI::Option* add_renames(CLI::App& app, const std::string& name, std::vector<std::string>& into) {
  return add_list(app, name, into, "OLD:=NEW...", "Topics that get another name")
      ->group("Which topics");
}

std::vector<std::pair<std::string, std::string>> parse_renames(
    const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, std::string>> renames;
  for (const std::string& text : texts) {
    std::size_t sign = text.find(":=");
    if (sign == std::string::npos || sign == 0 || sign + 2 == text.size()) {
      throw_invalid(fmt::format("--rename takes OLD:=NEW, not \"{}\"", text));
    }
    renames.emplace_back(text.substr(0, sign), text.substr(sign + 2));
  }
  return renames;
}

void add_evolution(CLI::App& app, TranscodingOptions& transcoding) {
  constexpr const char* kGroup = "What the messages say";
  add_list(
      app, "--to-definitions", transcoding.to_definitions, "DIR...",
      "Bring messages to the definitions there: fields\nof the same name are carried, new ones "
      "get defaults")
      ->group(kGroup);
  add_text(app, "--migrate", transcoding.migrate, "FILE",
           "Rules for that: types and fields with new names,\nand values for new fields")
      ->group(kGroup);
}

void add_payload(CLI::App& app, PayloadOptions& payload) {
  add_text(app, "--where", payload.where, "CONDITION",
           "Those whose fields meet it, such as\n'linear.x > 0.5 && frame == \"map\"'")
      ->group("Which messages");
  add_definitions(app, payload.definitions);
  add_evolution(app, payload.transcoding);
}

void add_transcoding(CLI::App& app, PayloadOptions& payload, const std::string& on_error) {
  add_payload(app, payload);
  add_text(app, "--encoding", payload.transcoding.encoding, "ros1|cdr|protobuf|json",
           "To bring payloads to, with schemas that go with\nit; as they are if not given")
      ->group("What the messages say");
  add_on_error(app, payload.on_error, on_error);
}

void add_print(CLI::App& app, PrintOptions& print) {
  constexpr const char* kGroup = "What the messages say";
  using NotANumber = CodecOptions::NotANumber;
  using Bytes = CodecOptions::Bytes;
  add_list(app, "--fields", print.fields, "PATH...", "Only these, such as pose.position.x")
      ->delimiter(',')
      ->group(kGroup);
  add_choice<NotANumber>(app, "--nan", print.codec.not_a_number,
                         {{"null", NotANumber::null}, {"string", NotANumber::text}},
                         "What JSON says for NaN and infinities; null if\nnot given")
      ->group(kGroup);
  add_choice<Bytes>(app, "--bytes", print.codec.bytes,
                    {{"base64", Bytes::base64}, {"array", Bytes::array}, {"omit", Bytes::omit}},
                    "How lists of uint8 are printed; base64 if not given")
      ->group(kGroup);
  app.add_flag("--escape-formulas", print.escapes_formulas,
               "csv: put ' before texts that begin with = + - @,\nwhich spreadsheets take for "
               "formulas")
      ->group(kGroup);
  add_on_error(app, print.on_error,
               "With what cannot be decoded: leave it out and\ncount it (skip, if not given), "
               "print its bytes\n(raw), or stop");
}

void require_plain_range(const SelectOptions& select) {
  if (select.start && select.end && select.duration) {
    throw_invalid("--start, --end and --duration: give at most two of them");
  }
  if (select.with_latched && select.order != Order::time) {
    throw_invalid("--latched goes with --order time only");
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
  throw_invalid(fmt::format("\"{}\" is neither none nor interval=DURATION nor chunk", text));
}

/// "1MiB,/camera/*=8MiB": the size for all, where there is one without a topic, and those of
/// topics.
void take_chunk_sizes(const std::string& text, WriteOptions& write) {
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t end = std::min(text.find(',', begin), text.size());
    std::string part = text.substr(begin, end - begin);
    begin = end + 1;
    std::size_t sign = part.rfind('=');
    if (sign == 0) throw_invalid("there is no topic in front of \"" + part + "\"");
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
  constexpr const char* kGroup = "How OUT is stored";
  add_text(app, "--compression", write.compression, "none|lz4|bz2|zstd|zstd_file",
           fmt::format("Of its chunks, or messages; zstd_file: of the files\nof a directory; {} "
                       "if not given",
                       compression))
      ->group(kGroup);
  add_taken(
      app, "--chunk-size", [&write](const std::string& text) { take_chunk_sizes(text, write); },
      "SIZE[,TOPIC=SIZE]",
      "Bytes of messages in a chunk; 768KiB if not given.\nEach topic that TOPIC, a name or glob, "
      "matches has\nchunks of its own")
      ->group(kGroup);
  add_parsed(app, "--chunk-duration", write.chunk_duration, parse_positive_duration, "DURATION",
             "Close a chunk, too, when its messages span this, or\nit has been open so long")
      ->group(kGroup);
  add_parsed(app, "--sync", write.sync, parse_sync, "none|interval=DURATION|chunk",
             "When what is written is brought to the disk itself:\nat the end (none), that often, "
             "or with each chunk")
      ->group(kGroup);
  add_number(app, "--threads", write.threads, "N", "Threads that compress; one a core if not given",
             0U, kMostThreads)
      ->group(kGroup);
  add_choice<Io>(app, "--io", write.io,
                 {{"auto", Io::automatic}, {"buffered", Io::buffered}, {"direct", Io::direct}},
                 "Through the page cache, or past it to the disk;\nauto (default): past it from "
                 "where OUT is large, and fast")
      ->group(kGroup);
  add_text(app, "--format", write.format, "NAME",
           "Such as sqlite3; else as OUT's extension tells. Of\nthe files, where OUT ends with / "
           "and is a directory")
      ->group(kGroup);
  add_text(app, "--format-version,--schema-version", write.format_version, "VERSION",
           "Of that format, such as 1.2; else the newest.\nFor sqlite3 its schema: 2 for Foxy to "
           "Humble")
      ->group(kGroup);
  add_text(app, "--ros-distro", write.ros_distro, "NAME",
           "The release of ROS 2 that is to read OUT, such as\nhumble: sets --schema-version,\n"
           "--metadata-version and how QoS is written. If not\ngiven, Humble and later read it")
      ->group(kGroup);
  add_number(app, "--metadata-version", write.metadata_version, "N",
             "Of metadata.yaml: 5 if not given; 4 for Foxy, 9, with\nQoS by name, for Jazzy", 1, 9)
      ->group(kGroup);
  add_text(app, "--preset", write.preset, "NAME",
           "Settings by rosbag2's names: fastwrite, zstd_fast\nor zstd_small for mcap, resilient "
           "for sqlite3")
      ->group(kGroup);
  app.add_flag_callback(
         "--no-chunks", [&write] { write.is_chunked = false; },
         "Without chunks, where the format leaves the choice")
      ->group(kGroup);
  app.add_flag_callback(
         "--no-crc", [&write] { write.has_crc = false; },
         "Without checksums, where the format leaves the choice")
      ->group(kGroup);
}

}  // namespace kitbag::cli
