// The command lines of mcap 0.3.
//
// Its defaults, such as zstd and standard output, are said in our line: --print shows them, and a
// default of ours that changes does not change what these lines do.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "cli/peers/peer.h"

namespace kitbag::cli {
namespace of_mcap {
namespace {

constexpr PeerOption kOutput{"-o,--output,--output-file", kOne, "--output={}"};
constexpr PeerOption kCompression{"--compression,--output-compression", kOne};
constexpr PeerOption kChunkSize{"--chunk-size", kOne, "--chunk-size={}"};
constexpr PeerOption kNoCrc{"--no-crc", {}, "--no-crc"};
constexpr PeerOption kNoChunks{"--no-chunks", {}, "--no-chunks"};
// Of all verbs. Times are printed as kitbag does, but those of CSV.
constexpr PeerOption kColor{"--color", kOne};
constexpr PeerOption kTimeFormat{"--time-format", kOne};
constexpr PeerOption kRemote{"--allow-remote-scan"};
constexpr PeerOption kVerbose{"-v,--verbose"};

/// A time of mcap's: nanoseconds are many digits, and all else is a time here too.
std::string our_time(const std::string& text, std::string_view name, const PeerCommand& command) {
  constexpr std::size_t kMostDigitsOfSeconds = 12;
  bool is_number = text.find_first_not_of("0123456789") == std::string::npos;
  return is_number && text.size() > kMostDigitsOfSeconds ? seconds_of_ns(text, name, command)
                                                         : text;
}

/// Without a file, mcap reads standard input.
void take_input(PeerCommand& command) {
  if (command.arguments.empty()) command.arguments.emplace_back("-");
}

/// Its times in nanoseconds; those in seconds are ours.
void take_range(PeerCommand& command) {
  for (const auto& [theirs, ours] :
       {std::pair{"--start-nsecs", "--start="}, std::pair{"--end-nsecs", "--end="},
        std::pair{"--start", "--start="}, std::pair{"--end", "--end="}}) {
    std::string value = command.value(theirs);
    if (!value.empty()) command.words.push_back(ours + our_time(value, theirs, command));
  }
}

constexpr PeerOption kInfoOptions[] = {kColor, kTimeFormat, kRemote, kVerbose};

constexpr PeerOption kCatOptions[] = {{"--topics", kOne, "--topics={}"},
                                      {"--start-secs", kOne, "--start={}"},
                                      {"--start-nsecs", kOne},
                                      {"--end-secs", kOne, "--end={}"},
                                      {"--end-nsecs", kOne},
                                      {"--format", kOne},
                                      {"--json"},
                                      {"--color", kOne, "--color={}"},
                                      kTimeFormat,
                                      kRemote,
                                      kVerbose};

void complete_cat(PeerCommand& command) {
  take_input(command);
  take_range(command);
  constexpr std::pair<std::string_view, std::string_view> kTimes[] = {
      {"rfc3339", "iso"}, {"seconds", "seconds"}, {"nanoseconds", "ns"}, {"auto", "ns"}};
  std::string format = command.value("--format", "text");
  if (format == "csv") {
    std::string time = command.value("--time-format", "auto");
    const auto* found =
        std::ranges::find(kTimes, time, [](const auto& each) { return each.first; });
    if (found == std::end(kTimes)) {
      command.refuse(
          fmt::format("--time-format {}: there are auto, rfc3339, seconds and "
                      "nanoseconds",
                      time));
    }
    command.words.emplace_back("--format=csv");
    command.words.push_back(fmt::format("--time-format={}", found->second));
  } else if (format != "text" && format != "ndjson" && format != "json") {
    command.refuse(fmt::format("--format {}: there are text, ndjson and csv", format));
  }
}

constexpr PeerOption kFilterOptions[] = {kOutput,
                                         {"-y,--include-topic-regex", kOne, "--regex {}"},
                                         {"-n,--exclude-topic-regex", kOne, "--exclude-regex {}"},
                                         {"-l,--last-per-channel-topic-regex", kOne},
                                         {"-S,--start-secs", kOne, "--start={}"},
                                         {"-s,--start", kOne},
                                         {"--start-nsecs", kOne},
                                         {"-E,--end-secs", kOne, "--end={}"},
                                         {"-e,--end", kOne},
                                         {"--end-nsecs", kOne},
                                         {"--exclude-metadata", {}, "--no-metadata"},
                                         {"--exclude-attachments", {}, "--no-attachments"},
                                         {"--include-metadata"},
                                         {"--include-attachments"},
                                         kCompression,
                                         kChunkSize,
                                         kNoCrc,
                                         kNoChunks,
                                         {"--order", kOne},
                                         kColor,
                                         kTimeFormat,
                                         kRemote,
                                         kVerbose};

constexpr PeerOption kCompressOptions[] = {kOutput,     kCompression,      kChunkSize,
                                           kNoCrc,      {"--order", kOne}, kColor,
                                           kTimeFormat, kRemote,           kVerbose};

constexpr PeerOption kSortOptions[] = {kOutput, kCompression, kChunkSize, kNoCrc,  kNoChunks,
                                       kColor,  kTimeFormat,  kRemote,    kVerbose};

/// mcap compresses with zstd where nothing else is said, and writes to standard output.
void take_compression(PeerCommand& command) {
  bool has_chunks = !command.has("--no-chunks");
  command.words.push_back("--compression=" +
                          command.value("--compression", has_chunks ? "zstd" : "none"));
}

void take_target(PeerCommand& command) {
  take_input(command);
  if (!command.has("--output")) command.words.emplace_back("--output=-");
  std::string order = command.value("--order", "log_time");
  if (order == "preserve") {
    command.words.emplace_back("--order=file");
  } else if (order == "topic") {
    command.refuse(
        "--order topic: a topic gets chunks of its own by --chunk-size "
        "768KiB,/topic=1MiB");
  } else if (order != "log_time") {
    command.refuse(fmt::format("--order {}: there are preserve, log_time and topic", order));
  }
}

void complete_write(PeerCommand& command) {
  take_target(command);
  take_compression(command);
}

void complete_filter(PeerCommand& command) {
  take_range(command);
  if (command.has("-l")) command.words.emplace_back("--latched");
  complete_write(command);
}

void complete_decompress(PeerCommand& command) {
  take_target(command);
  command.words.push_back("--compression=" + command.value("--compression", "none"));
}

constexpr PeerOption kMergeOptions[] = {kOutput,
                                        kCompression,
                                        kChunkSize,
                                        kNoCrc,
                                        kNoChunks,
                                        {"--allow-duplicate-metadata"},
                                        {"--coalesce-channels", kOne},
                                        kColor,
                                        kTimeFormat,
                                        kRemote,
                                        kVerbose};

void complete_merge(PeerCommand& command) {
  std::string coalesce = command.value("--coalesce-channels", "auto");
  if (coalesce != "auto") {
    command.refuse(
        fmt::format("--coalesce-channels {}: channels that are equal in all become one", coalesce));
  }
  complete_write(command);
}

constexpr PeerOption kRecoverOptions[] = {kOutput,     kCompression, kChunkSize, kColor,
                                          kTimeFormat, kRemote,      kVerbose};

void complete_recover(PeerCommand& command) {
  if (!command.has("--output")) command.refuse("-o names the output");
  std::string compression = command.value("--compression", "preserve");
  if (compression != "preserve") command.words.push_back("--compression=" + compression);
}

constexpr PeerOption kDoctorOptions[] = {
    {"--strict-message-order"}, kColor, kTimeFormat, kRemote, kVerbose};

constexpr PeerOption kConvertOptions[] = {{"--ament-prefix-path", kOne, "--definitions {}"},
                                          kCompression,
                                          kChunkSize,
                                          kNoCrc,
                                          kNoChunks,
                                          kColor,
                                          kTimeFormat,
                                          kRemote,
                                          kVerbose};

void complete_convert(PeerCommand& command) {
  take_compression(command);
}

constexpr PeerOption kDuOptions[] = {{"--approximate"}, kColor, kTimeFormat, kRemote, kVerbose};

/// "attachment FILE": what it is about comes behind the bag here. Returns what it is.
std::string take_kind(PeerCommand& command, std::span<const std::string_view> kinds) {
  bool is_known = command.arguments.size() == 2 &&
                  std::ranges::find(kinds, command.arguments.front()) != kinds.end();
  if (!is_known) command.refuse(fmt::format("takes one of {}, and FILE", fmt::join(kinds, ", ")));
  std::swap(command.arguments[0], command.arguments[1]);
  return command.arguments[1];
}

void complete_list(PeerCommand& command) {
  constexpr std::string_view kKinds[] = {"attachments", "channels", "chunks", "metadata",
                                         "schemas"};
  if (take_kind(command, kKinds) == "channels") command.arguments[1] = "topics";
}

constexpr std::string_view kItems[] = {"attachment", "metadata"};

constexpr PeerOption kGetOptions[] = {
    {"-n,--name", kOne},
    {"--offset", kOne, {}, "items of one name are counted here: --number N"},
    kOutput,
    kColor,
    kTimeFormat,
    kRemote,
    kVerbose};

void complete_get(PeerCommand& command) {
  take_kind(command, kItems);
  if (!command.has("--name")) command.refuse("-n names the item");
  command.arguments.push_back(command.value("--name"));
}

constexpr PeerOption kAddOptions[] = {{"-f,--file", kOne},
                                      {"-n,--name", kOne},
                                      {"-k,--key", kMany},
                                      {"--content-type", kOne, "--media-type={}"},
                                      {"--log-time", kOne},
                                      {"--creation-time", kOne},
                                      kColor,
                                      kTimeFormat,
                                      kRemote,
                                      kVerbose};

void complete_add(PeerCommand& command) {
  bool is_file = take_kind(command, kItems) == "attachment";
  std::string file = command.value("--file");
  std::string name = command.value("--name");
  if (is_file) {
    if (file.empty()) command.refuse("-f names the file");
    command.arguments.push_back(file);
    if (!name.empty()) command.words.push_back("--name=" + name);
  } else {
    if (name.empty()) command.refuse("-n names the metadata");
    command.arguments.push_back(name);
    auto pairs = command.values("--key");
    command.arguments.insert(command.arguments.end(), pairs.begin(), pairs.end());
  }
  for (const auto& [theirs, ours] :
       {std::pair{"--log-time", "--time="}, std::pair{"--creation-time", "--create-time="}}) {
    std::string value = command.value(theirs);
    if (!value.empty()) command.words.push_back(ours + our_time(value, theirs, command));
  }
}

void complete_completion(PeerCommand& command) {
  command.refuse("the Debian packages of kitbag have it, see docs/completion.md");
}

constexpr PeerVerb kVerbs[] = {
    {"info", "info", kInfoOptions},
    {"cat", "cat", kCatOptions, complete_cat},
    {"filter", "convert", kFilterOptions, complete_filter},
    {"compress", "convert", kCompressOptions, complete_write},
    {"decompress", "convert", kCompressOptions, complete_decompress},
    {"sort", "sort", kSortOptions, complete_write},
    {"merge", "merge", kMergeOptions, complete_merge},
    {"recover", "recover", kRecoverOptions, complete_recover},
    {"doctor", "check", kDoctorOptions},
    {"convert", "convert", kConvertOptions, complete_convert},
    {"du", "du", kDuOptions},
    {"list", "list", kInfoOptions, complete_list},
    {"get", "get", kGetOptions, complete_get},
    {"add", "add", kAddOptions, complete_add},
    {"completion", "completion", {}, complete_completion},
};

}  // namespace
}  // namespace of_mcap

const Peer& mcap_peer() {
  static constexpr Peer kPeer{"mcap", "mcap", of_mcap::kVerbs};
  return kPeer;
}

}  // namespace kitbag::cli
