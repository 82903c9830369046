// The command lines of rosbag 1.15 (ROS 1).
//
// Sizes of rosbag are numbers of MiB or KiB without a unit, and its durations are in seconds. What
// it ignores in silence, such as --size without --split, is refused here.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/peers/peer.h"

namespace kitbag::cli {
namespace of_rosbag {
namespace {

constexpr char kRules[] =
    "rules are YAML here: kitbag convert IN OUT --to-definitions DIR --migrate RULES.yaml; see "
    "docs/evolution.md";

constexpr PeerOption kRecordOptions[] = {
    {"-a,--all", {}, "--all"},
    {"-e,--regex"},
    {"-x,--exclude", kOne, "--exclude-regex {}"},
    {"-p,--publish",
     {},
     {},
     "kitbag publishes nothing while it records; --json prints the open file each second"},
    {"-q,--quiet"},
    {"-o,--output-prefix", kOne},
    {"-O,--output-name", kOne},
    {"--split", kMaybe},
    {"--max-splits", kOne, "--max-files={}"},
    {"--size", kOne},
    {"--duration", kOne},
    {"-b,--buffsize", kOne},
    {"--chunksize", kOne, "--chunk-size={}KiB"},
    {"-l,--limit", kOne, "--limit={}"},
    {"--node",
     kOne,
     {},
     "kitbag does not ask nodes for their topics; name the topics, or select them with --regex"},
    {"-j,--bz2", {}, "--compression=bz2"},
    {"--lz4", {}, "--compression=lz4"},
    {"--tcpnodelay"},  // ros1:// asks for it
    {"--udp", {}, {}, "ros1:// records by TCP only; leave it out"},
    {"--repeat-latched", {}, "--repeat-latched"},
    {"-L,--min-space", kOne},
    {"--from", kOne, "--from {}"},
};

void choose_topics(PeerCommand& command) {
  if (command.arguments.empty() && !command.has("--all")) {
    command.refuse("name topics, or use -a for all");
  }
  if (command.has("--regex")) {
    command.words.emplace_back("--regex");
    command.words.insert(command.words.end(), command.arguments.begin(), command.arguments.end());
    command.arguments.clear();
  }
  for (std::string& topic : command.arguments) topic = absolute_topic(topic);
}

/// -O is the name, -o the beginning of one.
void choose_name(PeerCommand& command) {
  std::string name = command.value("-O");
  if (name.empty()) {
    std::string prefix = command.value("-o");
    name = (prefix.empty() ? "" : prefix + "_") + local_time("%Y-%m-%d-%H-%M-%S");
  }
  if (!name.ends_with(".bag")) name += ".bag";
  command.words.push_back("--output=" + name);
}

void choose_limits(PeerCommand& command) {
  std::string size = command.value("--size", command.value("--split"));
  std::string duration = command.value("--duration");
  if (!command.has("--split")) {
    if (!size.empty()) {
      command.refuse(
          "--size ends the recording only with a split; use --split, --limit or "
          "--duration");
    }
    if (!duration.empty()) command.words.push_back("--duration=" + duration);
    return;
  }
  if (size.empty() && duration.empty()) command.refuse("--split needs --size or --duration");
  if (!size.empty()) command.words.push_back(fmt::format("--split-size={}MiB", size));
  if (!duration.empty()) command.words.push_back("--split-duration=" + duration);
}

/// "1G" is 1 GiB.
std::string binary_size(std::string text) {
  constexpr std::string_view kUnits = "KMG";
  if (text.empty()) return text;
  char last = text.back() == 'k' ? 'K' : text.back();
  if (kUnits.find(last) == std::string_view::npos) return text;
  text.back() = last;
  return text + "iB";
}

void complete_record(PeerCommand& command) {
  choose_topics(command);
  choose_name(command);
  choose_limits(command);
  std::string buffer = command.value("--buffsize");
  if (buffer == "0") command.refuse("--buffsize 0: a buffer has a limit here; give its size in MB");
  if (!buffer.empty()) command.words.push_back(fmt::format("--buffer={}MiB", buffer));
  std::string space = command.value("--min-space");
  if (!space.empty()) command.words.push_back("--min-free-space=" + binary_size(space));
  if (!command.has("--from")) command.words.emplace_back("--from=ros1://");
}

constexpr char kRateControl[] =
    "kitbag does not wait for a topic; kitbag control SOCKET pause, resume and rate do it from a "
    "program";

constexpr PeerOption kPlayOptions[] = {
    {"-p,--prefix", kOne, "--prefix={}"},
    {"-q,--quiet"},
    {"-i,--immediate", {}, "--immediate"},
    {"--pause", {}, "--start-paused"},
    {"--queue", kOne},
    {"--clock"},
    {"--hz", kOne},
    {"-d,--delay", kOne, "--delay={}s"},
    {"-r,--rate", kOne, "--rate={}"},
    {"-s,--start", kOne, "--start=+{}s"},
    {"-u,--duration", kOne, "--duration={}s"},
    {"--skip-empty", kOne, "--skip-empty={}s"},
    {"-l,--loop", {}, "--loop"},
    {"-k,--keep-alive", {}, "--keep-alive"},
    {"--try-future-version"},
    {"--topics", kMany, "--topics {}"},
    {"--pause-topics", kMany, "--until-topic {}"},
    {"--bags", kMany},
    {"--wait-for-subscribers", {}, "--wait-for-subscribers"},
    {"--rate-control-topic", kOne, {}, kRateControl},
    {"--rate-control-max-delay", kOne, {}, kRateControl},
    {"--to", kOne, "--to={}"},
};

/// "from:=to", and what rosbag's own node takes.
void take_remapping(const std::string& text, std::size_t sign, PeerCommand& command) {
  std::string from = text.substr(0, sign);
  std::string to = text.substr(sign + 2);
  if (from == "__name") {
    command.words.push_back("--node-name=" + to);
  } else if (from.starts_with('_')) {
    command.refuse(fmt::format("{}: kitbag's node has no parameters", text));
  } else {
    command.words.push_back(
        fmt::format("--rename={}:={}", absolute_topic(from), absolute_topic(to)));
  }
}

void complete_play(PeerCommand& command) {
  std::vector<std::string> bags = command.values("--bags");
  for (const std::string& text : command.arguments) {
    std::size_t sign = text.find(":=");
    if (sign == std::string::npos) {
      bags.push_back(text);
    } else {
      take_remapping(text, sign, command);
    }
  }
  command.arguments = bags;
  if (command.has("--clock")) command.words.push_back("--clock=" + command.value("--hz", "100"));
  if (!command.has("--to")) command.words.emplace_back("--to=ros1://");
}

constexpr PeerOption kInfoOptions[] = {
    {"-y,--yaml", {}, "--yaml"},
    {"-k,--key", kOne, "--key={}"},
    {"--freq", {}, "--verbose"},
};

void complete_info(PeerCommand& command) {
  if (!command.has("--yaml")) {
    if (command.has("--key")) command.refuse("--key needs --yaml");
  } else if (command.has("--freq")) {
    command.refuse("--freq with --yaml: kitbag stats BAG --json has the rates");
  }
}

constexpr PeerOption kCheckOptions[] = {
    {"-g,--genrules",
     kOne,
     {},
     "kitbag check BAG --to-definitions DIR names what differs; write the rules as YAML, see "
     "docs/evolution.md"},
    {"-a,--append", {}, {}, kRules},
    {"-n,--noplugins"},
};

/// The definitions of the packages that are there, as rosbag has them.
std::vector<std::string> package_folders() {
  std::vector<std::string> folders;
  const char* path = std::getenv("ROS_PACKAGE_PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    std::string folder(rest.substr(0, rest.find(':')));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    std::error_code ignored;
    if (std::filesystem::is_directory(folder, ignored)) folders.push_back(folder);
  }
  return folders;
}

void add_definitions_of_packages(PeerCommand& command) {
  auto folders = package_folders();
  if (folders.empty()) return;
  command.words.emplace_back("--to-definitions");
  command.words.insert(command.words.end(), folders.begin(), folders.end());
}

void complete_check(PeerCommand& command) {
  // rosbag's rules are Python, which kitbag does not run.
  if (command.arguments.size() > 1) command.refuse(kRules);
  add_definitions_of_packages(command);
}

constexpr PeerOption kFixOptions[] = {
    {"-n,--noplugins"},
    {"--force", {}, "--on-error=raw"},
};

void complete_fix(PeerCommand& command) {
  if (command.arguments.size() > 2) command.refuse(kRules);
  if (package_folders().empty()) {
    command.refuse(
        "set ROS_PACKAGE_PATH, or name the folder of the new definitions: kitbag convert IN "
        "OUT --to-definitions DIR");
  }
  add_definitions_of_packages(command);
}

constexpr PeerOption kFilterOptions[] = {
    {"-p,--print", kOne, {}, "kitbag cat BAG --where EXPR --fields FIELD... prints what matches"},
};

void complete_filter(PeerCommand& command) {
  if (command.arguments.size() != 3) command.refuse("takes IN OUT EXPRESSION");
  // rosbag's expressions are Python; most of them are conditions of --where as they are
  // (docs/expressions.md).
  command.words.push_back("--where=" + command.arguments.back());
  command.arguments.pop_back();
}

constexpr PeerOption kDirectory{"--output-dir", kOne, "--output-dir={}"};
constexpr PeerOption kForce{"-f,--force", {}, "--force"};
constexpr PeerOption kQuiet{"-q,--quiet"};
constexpr PeerOption kBz2{"-j,--bz2", {}, "--compression=bz2"};
constexpr PeerOption kLz4{"--lz4", {}, "--compression=lz4"};

constexpr PeerOption kCompressOptions[] = {kDirectory, kForce, kQuiet, kBz2, kLz4};
constexpr PeerOption kInPlaceOptions[] = {kDirectory, kForce, kQuiet};
constexpr PeerOption kEncryptOptions[] = {
    kDirectory, kForce, kQuiet, kBz2, kLz4, {"-p,--plugin", kOne}, {"-r,--param", kOne}};
constexpr PeerOption kDecryptOptions[] = {kDirectory, kForce, kQuiet, kBz2, kLz4};

void complete_compress(PeerCommand& command) {
  if (!command.has("--lz4") && !command.has("--bz2")) {
    command.words.emplace_back("--compression=bz2");
  }
}

void complete_encrypt(PeerCommand& command) {
  constexpr char kOnlyPlugin[] = "rosbag/AesCbcEncryptor";
  if (command.value("--plugin", kOnlyPlugin) != kOnlyPlugin) {
    command.refuse(fmt::format("--plugin: kitbag encrypts as {} only", kOnlyPlugin));
  }
  command.words.push_back("--gpg-key=" + command.value("--param", "*"));
}

constexpr PeerVerb kVerbs[] = {
    {"record", "record", kRecordOptions, complete_record},
    {"play", "play", kPlayOptions, complete_play},
    {"info", "info", kInfoOptions, complete_info},
    {"check", "check", kCheckOptions, complete_check},
    {"fix", "convert", kFixOptions, complete_fix},
    {"filter", "filter", kFilterOptions, complete_filter},
    {"compress", "compress", kCompressOptions, complete_compress},
    {"decompress", "decompress", kInPlaceOptions},
    {"reindex", "reindex", kInPlaceOptions},
    {"encrypt", "encrypt", kEncryptOptions, complete_encrypt},
    {"decrypt", "decrypt", kDecryptOptions},
};

}  // namespace
}  // namespace of_rosbag

const Peer& rosbag_peer() {
  static constexpr Peer kPeer{"rosbag", "rosbag", of_rosbag::kVerbs};
  return kPeer;
}

}  // namespace kitbag::cli
