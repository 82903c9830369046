// The command lines of `ros2 bag`, up to Lyrical (0.33).
//
// Without storage, compression or a name, `ros2 bag` has defaults of its own (MCAP, a directory
// that is named after the time), and our line says them.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/peers/ros2_bag.h"

namespace kitbag::cli {
namespace of_ros2_bag {
namespace {

constexpr char kPriority[] = "start kitbag with nice(1) instead";
constexpr char kYamlOfRead[] = "kitbag reads every storage without a configuration; leave it out";

constexpr PeerOption kRecordOptions[] = {
    {"-o,--output", kOne},
    {"-s,--storage", kOne},
    {"--storage-config-file", kOne, {}, kStorageConfig},
    {"--storage-preset-profile", kOne, "--preset={}"},
    {"--custom-data", kMany, {}, kCustomData},
    {"--node-name", kOne, "--node-name={}"},
    {"--log-level", kOne},
    {"--topics", kMany},
    {"--topic-types", kMany, "--types {}"},
    {"--services", kMany, "--services {}"},
    {"--actions", kMany, "--actions {}"},
    {"-a,--all", {}, "--all"},
    {"--all-topics", {}, "--topics=*"},
    {"--all-services"},
    {"--all-actions"},
    {"-e,--regex", kOne, "--regex {}"},
    {"--exclude-regex", kOne, "--exclude-regex {}"},
    {"--exclude-topics", kMany, "--exclude {}"},
    {"--exclude-topic-types",
     kMany,
     {},
     "kitbag leaves out topics by name: --exclude-topics or --exclude-regex"},
    {"--exclude-services", kMany, "--exclude-services {}"},
    {"--exclude-actions", kMany, "--exclude-actions {}"},
    {"--static-topics-path", kOne, "--static-topics={}"},
    {"--include-unpublished-topics",
     {},
     {},
     "name the topics in a file for --static-topics-path, which are there before a publisher"},
    {"--include-hidden-topics", {}, "--include-hidden-topics"},
    {"--no-discovery", {}, {}, "name the topics, or list them in a file for --static-topics-path"},
    {"-p,--polling-interval", kOne},  // DDS says at once what is new
    {"--ignore-leaf-topics", {}, {}, "name the topics to record, or leave some out with --exclude"},
    {"--qos-profile-overrides-path", kOne, "--qos-overrides={}"},
    {"--use-sim-time", {}, "--use-sim-time"},
    {"-b,--max-bag-size", kOne},
    {"-d,--max-bag-duration", kOne},
    {"--max-bag-files", kOne},
    {"--max-cache-size", kOne},
    {"--max-cache-duration", kOne, {}, "kitbag record --snapshot DURATION keeps that much"},
    {"--snapshot-mode"},
    {"--repeat-transient-local", kMany, "--repeat-latched"},
    {"--compression-mode", kOne},
    {"--compression-format", kOne},
    {"--compression-queue-size", kOne},  // nothing is dropped for want of a place there
    {"--compression-threads", kOne, "--threads={}"},
    {"--compression-threads-priority", kOne, {}, kPriority},
    {"-f,--serialization-format", kOne, "--encoding={}"},
    {"--start-paused", {}, "--start-paused"},
    {"--disable-keyboard-controls", {}, {}, "give kitbag no keyboard: kitbag bag ... < /dev/null"},
    {"--stats_max_publishing_rate", kOne, {}, "kitbag record --json prints the status each second"},
    {"--from", kOne, "--from {}"},
};

void choose_topics(PeerCommand& command) {
  std::vector<std::string> topics = command.values("--topics");
  topics.insert(topics.end(), command.arguments.begin(), command.arguments.end());
  command.arguments.clear();
  for (const std::string& topic : topics) command.arguments.push_back(absolute_topic(topic));
  if (command.has("--all")) return;  // which has them
  for (const char* all : {"--all-services", "--all-actions"}) {
    if (command.has(all)) command.words.emplace_back(all);
  }
}

/// 0 is rosbag2's for no limit.
void choose_limits(PeerCommand& command) {
  constexpr std::pair<const char*, const char*> kLimits[] = {
      {"--max-bag-size", "--split-size={}"},
      {"--max-bag-duration", "--split-duration={}s"},
      {"--max-bag-files", "--max-files={}"}};
  for (const auto& [theirs, ours] : kLimits) {
    std::string limit = command.value(theirs, "0");
    if (limit != "0") add_words(ours, {limit}, command.words);
  }
}

/// The cache: the recorder's buffer, or what a snapshot holds. 0 is rosbag2's for no cache.
void choose_memory(PeerCommand& command) {
  std::string size = command.value("--max-cache-size");
  if (command.has("--snapshot-mode")) {
    command.words.push_back("--snapshot=" + (size.empty() ? "100MiB" : size + "B"));
  } else if (!size.empty() && size != "0") {
    command.words.push_back("--buffer=" + size);
  }
}

/// A directory; but snapshots are files beside each other.
void choose_name(PeerCommand& command) {
  std::string name = command.value("--output", local_time("rosbag2_%Y_%m_%d-%H_%M_%S"));
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  command.words.push_back("--output=" + name + (command.has("--snapshot-mode") ? "" : "/"));
}

void complete_record(PeerCommand& command) {
  choose_limits(command);
  choose_topics(command);
  choose_name(command);
  command.words.push_back("--format=" + command.value("--storage", "mcap"));
  std::string compression = our_compression(command.value("--compression-mode"),
                                            command.value("--compression-format"), command);
  if (!compression.empty()) command.words.push_back(compression);
  choose_memory(command);
  if (!command.has("--from")) command.words.emplace_back("--from=ros2://");
}

constexpr PeerOption kPlayOptions[] = {
    {"-i,--input", kMany},
    {"-s,--storage", kOne, "--storage-format={}"},
    {"--read-ahead-queue-size", kOne},  // counted in bytes here, and large enough
    {"-r,--rate", kOne, "--rate={}"},
    {"--topics", kMany, "--topics {}"},
    {"--services", kMany, "--services {}"},
    {"--actions", kMany, "--actions {}"},
    {"-e,--regex", kOne, "--regex {}"},
    {"-x,--exclude-regex", kOne, "--exclude-regex {}"},
    {"--exclude-topics", kMany, "--exclude {}"},
    {"--exclude-services", kMany, "--exclude-services {}"},
    {"--exclude-actions", kMany, "--exclude-actions {}"},
    {"--qos-profile-overrides-path", kOne, "--qos-overrides={}"},
    {"-l,--loop", {}, "--loop"},
    {"-m,--remap", kMany, "--rename {}"},
    {"--storage-config-file", kOne, {}, kYamlOfRead},
    {"--clock", kMaybe},
    {"--clock-topics", kMany, {}, "kitbag publishes /clock at a rate: --clock HZ"},
    {"--clock-topics-all", {}, {}, "kitbag publishes /clock at a rate: --clock HZ"},
    {"-d,--delay", kOne, "--delay={}s"},
    {"--playback-duration", kOne, "--duration={}s"},
    {"--playback-until-sec", kOne, "--end={}"},
    {"--playback-until-nsec", kOne},
    {"--start-offset", kOne, "--start=+{}s"},
    {"-p,--start-paused", {}, "--start-paused"},
    {"--disable-keyboard-controls", {}, {}, "give kitbag no keyboard: kitbag bag ... < /dev/null"},
    {"--wait-for-all-acked", kOne},  // ros2:// waits up to five seconds at the end
    {"--disable-loan-message"},
    {"--publish-service-requests", {}, "--publish-service-requests"},
    {"--service-requests-source", kOne},
    {"--send-actions-as-client", {}, "--send-actions-as-client"},
    {"--message-order", kOne},
    {"--progress-bar-update-rate", kOne},
    {"--progress-bar-separation-lines", kOne},
    {"--log-level", kOne},
    {"--to", kOne, "--to={}"},
};

void complete_play(PeerCommand& command) {
  take_inputs(command);
  if (command.has("--clock")) command.words.push_back("--clock=" + command.value("--clock", "40"));
  if (command.has("--playback-until-nsec")) {
    command.words.push_back("--end=" + seconds_of_ns(command.value("--playback-until-nsec"),
                                                     "--playback-until-nsec", command));
  }
  std::string order = command.value("--message-order", "received");
  if (order == "sent") {
    command.words.emplace_back("--by=publish_time");
  } else if (order != "received") {
    command.refuse(fmt::format("--message-order {}: there are received and sent", order));
  }
  // Without requests to send it has no effect in ros2 bag.
  bool sends_any =
      command.has("--publish-service-requests") || command.has("--send-actions-as-client");
  std::string source = command.value("--service-requests-source");
  if (sends_any && !source.empty())
    add_words("--service-requests-source={}", {source}, command.words);
  if (!command.has("--to")) command.words.emplace_back("--to=ros2://");
}

constexpr PeerOption kBurstOptions[] = {
    {"-s,--storage", kOne, "--storage-format={}"},
    {"--read-ahead-queue-size", kOne},
    {"--topics", kMany, "--topics {}"},
    {"--services", kMany, "--services {}"},
    {"--actions", kMany, "--actions {}"},
    {"--qos-profile-overrides-path", kOne, "--qos-overrides={}"},
    {"-m,--remap", kMany, "--rename {}"},
    {"--storage-config-file", kOne, {}, kYamlOfRead},
    {"--start-offset", kOne, "--start=+{}s"},
    {"-n,--num-messages", kOne},
    {"--to", kOne, "--to={}"},
};

/// 0 messages is all of them.
void complete_burst(PeerCommand& command) {
  std::string count = command.value("--num-messages", "0");
  if (count != "0") command.words.push_back("--count=" + count);
  if (!command.has("--to")) command.words.emplace_back("--to=ros2://");
}

constexpr PeerOption kInfoOptions[] = {
    {"-s,--storage", kOne, "--storage-format={}"},
    {"-t,--topic-name", {}, {}, "kitbag list BAG topics prints them without the rest"},
    {"-v,--verbose", {}, "--verbose"},
    {"--sort", kOne},
};

void complete_info(PeerCommand& command) {
  if (command.value("--sort", "name") == "name") return;
  command.refuse("--sort: topics are sorted by name here; kitbag du BAG sorts them by size");
}

constexpr PeerOption kReindexOptions[] = {{"-s,--storage", kOne, "--storage-format={}"}};

/// Of a directory no original can be kept, and in sound files nothing is changed.
void complete_reindex(PeerCommand& command) {
  bool has_directory =
      std::any_of(command.arguments.begin(), command.arguments.end(), [](const std::string& path) {
        std::error_code unknown;
        return std::filesystem::is_directory(path, unknown);
      });
  if (has_directory) command.words.emplace_back("--in-place");
}

constexpr PeerOption kConvertOptions[] = {
    {"-i,--input", kMany}, {"--input-options", kOne}, {"-o,--output-options", kOne}};

constexpr PeerOption kListOptions[] = {{"-v,--verbose"}};

/// The plugins of rosbag2: storages and what compresses them are formats here.
void complete_list(PeerCommand& command) {
  std::string what = command.arguments.empty() ? "" : command.arguments.front();
  command.arguments.clear();
  if (what == "storage" || what == "compressor" || what == "decompressor") {
    command.words.emplace_back("formats");
  } else if (what == "converter") {
    command.words.emplace_back("encodings");
  } else {
    command.refuse("lists storage, converter, compressor or decompressor");
  }
}

constexpr PeerVerb kVerbs[] = {
    {"record", "record", kRecordOptions, complete_record},
    {"play", "play", kPlayOptions, complete_play},
    {"burst", "play --immediate", kBurstOptions, complete_burst},
    {"info", "info", kInfoOptions, complete_info},
    {"reindex", "reindex", kReindexOptions, complete_reindex},
    {"convert", "convert", kConvertOptions, complete_convert},
    {"list", "list", kListOptions, complete_list},
};

}  // namespace

void take_inputs(PeerCommand& command) {
  for (const PeerCommand::Given& given : command.options) {
    if (!given.option->names.starts_with("-i,")) continue;
    command.arguments.push_back(given.values.front());
    if (given.values.size() > 1) {
      command.words.push_back("--storage-format=" + given.values[1]);
    }
  }
}

std::string our_compression(const std::string& mode, const std::string& format,
                            const PeerCommand& command) {
  if (mode.empty() || mode == "none") {
    if (!format.empty()) command.refuse("a compression format needs a compression mode");
    return {};
  }
  if (mode != "message" && mode != "file") {
    command.refuse(fmt::format("compression mode {}: there are none, file and message", mode));
  }
  if (!format.empty() && format != "zstd") {
    command.refuse(fmt::format("compression format {}: rosbag2 has zstd only", format));
  }
  return mode == "file" ? "--compression=zstd_file" : "--compression=zstd";
}

}  // namespace of_ros2_bag

const Peer& ros2_bag_peer() {
  static constexpr Peer kPeer{"bag", "ros2 bag", of_ros2_bag::kVerbs};
  return kPeer;
}

}  // namespace kitbag::cli
