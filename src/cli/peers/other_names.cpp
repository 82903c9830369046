#include "cli/peers/other_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kitbag/error.h"

// Habits of other tools in a line of ours: `kitbag record -b 1000000000`. An option is replaced
// before CLI11 sees it, and only for verbs in which its name means nothing else here. A name whose
// values mean another thing, such as rosbag's megabytes, is not replaced but answered with our way:
// a recording that is split at a hundred bytes would be worse than an error.
//
// A word is looked at without knowing which options take values, so the value of an option can be
// taken for a name if it begins with "-"; --option=VALUE is never.

namespace kitbag::cli {
namespace {

/// The name of an option in another tool.
struct OtherName {
  std::string_view verbs;  ///< those of ours that take it, as " record play "
  std::string_view name;   ///< "-b"
  /// Our name for it; or, with {} for the value, our word.
  std::string_view ours;
  std::string_view refusal = {};  ///< our way, if it is another one
};

constexpr char kRecord[] = " record ";
constexpr char kPlay[] = " play ";
constexpr char kInfo[] = " info ";
constexpr char kSelecting[] =
    " record play pipe topics cat echo du diff convert filter cut merge split ";
constexpr char kConverting[] = " convert filter cut merge split sort compress decompress ";
constexpr char kPacking[] = " record convert filter cut merge split sort compress ";
constexpr char kQuiet[] = " record play compress decompress reindex encrypt decrypt ";

constexpr OtherName kNames[] = {
    {kSelecting, "-e", "--regex"},
    {kSelecting, "-x", "--exclude-regex"},
    {kSelecting, "--topic-types", "--types"},
    {kSelecting, "--exclude-topics", "--exclude"},
    {kRecord, "--all-topics", "--topics=*"},
    {kRecord, "-O", "--output"},
    {kRecord, "-s", "--format"},
    {kRecord, "--storage", "--format"},
    {kRecord, "--storage-format", "--format"},
    {kRecord, "--storage-preset-profile", "--preset"},
    {kRecord, "-b", "--split-size"},
    {kRecord, "--max-bag-size", "--split-size"},
    {kRecord, "-d", "--split-duration"},
    {kRecord, "--max-bag-duration", "--split-duration"},
    {kRecord, "--max-bag-files", "--max-files"},
    {kRecord, "--max-splits", "--max-files"},
    {kRecord, "--max-cache-size", "--buffer"},
    {kRecord, "-l", "--limit"},
    {kPacking, "--bz2", "--compression=bz2"},
    {kPacking, "--lz4", "--compression=lz4"},
    {kPlay, "-i", "{}"},
    {kPlay, "-s", "--storage-format"},
    {kPlay, "--storage", "--storage-format"},
    {kPlay, "--start-offset", "--start=+{}s"},
    {kPlay, "-u", "--duration"},
    {kPlay, "--playback-duration", "--duration"},
    {kPlay, "--playback-until-sec", "--end"},
    {kPlay, "--pause", "--start-paused"},
    {kPlay, "--pause-topics", "--until-topic"},
    {kInfo, "-v", "--verbose"},
    {kInfo, "--freq", "--verbose"},
    {kInfo, "-s", "--storage-format"},
    {kInfo, "-y", "--yaml"},
    {kInfo, "-k", "--key"},
    {" get ", "-o", "--output"},
    {" add ", "--content-type", "--media-type"},
    {" add ", "--log-time", "--time"},
    {" add ", "--creation-time", "--create-time"},
    {" cat ", "--start-secs", "--start"},
    {" cat ", "--end-secs", "--end"},
    {kConverting, "-y", "--regex"},
    {kConverting, "-n", "--exclude-regex"},
    {kConverting, "-S", "--start"},
    {kConverting, "-E", "--end"},

    {kRecord, "--split", "", "rosbag's --split --size 100 is --split-size 100MiB here"},
    {kRecord, "--size", "", "rosbag's --split --size 100 is --split-size 100MiB here"},
    {kRecord, "--chunksize", "", "rosbag's --chunksize 768 is --chunk-size 768KiB here"},
    {kRecord, "--buffsize", "", "rosbag's --buffsize 256 is --buffer 256MiB here"},
    {kRecord, "--min-space", "", "rosbag's --min-space 1G is --min-free-space 1GiB here"},
    {kRecord, "--publish", "", "kitbag publishes nothing while it records; see --json"},
    {kRecord, "--udp", "", "ros1:// records by TCP only; leave it out"},
    {kRecord, "--tcpnodelay", "", "ros1:// asks for it anyway; leave it out"},
    {kRecord, "--compression-mode", "",
     "ros2 bag's --compression-mode file is --compression zstd_file here, and message is "
     "--compression zstd"},
    {kRecord, "--compression-format", "", "it is the value of --compression here"},
    {kRecord, "--storage-config-file", "",
     "kitbag has options instead: --chunk-size, --no-crc, --no-chunks, --compression, --preset"},
    {kRecord, "--custom-data", "",
     "add it to the recording: kitbag add BAG metadata NAME KEY=VALUE..."},
    {kRecord, "--snapshot-mode", "", "it is --snapshot 30s or --snapshot 100MB here"},
    {kPlay, "--hz", "", "rosbag's --clock --hz 100 is --clock 100 here"},
    {kPlay, "--queue", "", "kitbag loses nothing that it sends; for its memory see --read-ahead"},
    {kPlay, "--read-ahead-queue-size", "", "it is a size here: --read-ahead 64MiB"},
    {kPlay, "--clock-topics", "", "kitbag publishes /clock at a rate: --clock HZ"},
    {kPlay, "--clock-topics-all", "", "kitbag publishes /clock at a rate: --clock HZ"},
    {kPlay, "--rate-control-topic", "",
     "kitbag does not wait for a topic; kitbag control SOCKET pause, resume and rate do it"},
    {kPlay, "--message-order", "", "received is --by log_time here, and sent is --by publish_time"},
    {kPlay, "--wait-for-all-acked", "", "ros2:// waits for it anyway; leave it out"},
    {" get ", "--offset", "", "items of one name are counted here: --number N"},
    {" cat ", "--metadata", "", "kitbag list BAG metadata prints it, with --json for programs"},
    {" check ", "-g", "", "kitbag check BAG --to-definitions DIR names what differs"},
    {kQuiet, "-q", "", "kitbag prints one line at the end; > /dev/null leaves it out"},
    {kQuiet, "--quiet", "", "kitbag prints one line at the end; > /dev/null leaves it out"},
};

constexpr std::pair<std::string_view, std::string_view> kTheirVerbs[] = {
    {"doctor", "mcap's doctor is kitbag check"},
    {"fix", "rosbag's fix is kitbag convert IN OUT --to-definitions DIR --migrate RULES.yaml"},
    {"burst", "ros2 bag's burst is kitbag play --immediate --count N"},
    {"pub", "rostopic's pub is kitbag publish"},
    {"hz", "rostopic's hz is kitbag topics SYSTEM TOPIC --rates --watch"},
    {"bw", "rostopic's bw is kitbag topics SYSTEM TOPIC --rates --watch"},
    {"migrate", "old messages become new ones with kitbag convert --to-definitions DIR"},
    {"slice", "kitbag cut keeps a time range"},
    {"trim", "kitbag cut keeps a time range"},
};

const OtherName* found(const std::string& verb, std::string_view name) {
  std::string padded = " " + verb + " ";
  auto fits = [&](const OtherName& each) {
    return each.name == name && each.verbs.find(padded) != std::string_view::npos;
  };
  const OtherName* one = std::ranges::find_if(kNames, fits);
  return one == std::end(kNames) ? nullptr : one;
}

/// The N of `head -N` and `tail -N`, or "". Behind another option it may be that one's value.
std::string_view count_in(const std::vector<std::string>& words, std::size_t at) {
  bool has_count = words.front() == "head" || words.front() == "tail";
  if (!has_count || at == 0 || words[at - 1].starts_with('-')) return {};
  std::string_view word = words[at];
  if (word.size() < 2 || word[0] != '-') return {};
  word.remove_prefix(1);
  return word.find_first_not_of("0123456789") == std::string_view::npos ? word : "";
}

}  // namespace

std::vector<std::string> with_our_names(const std::vector<std::string>& words) {
  constexpr std::string_view kValue = "{}";
  std::vector<std::string> made;
  bool is_over = false;  // behind "--" are no options
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    is_over |= word == "--";
    std::size_t equals = std::min(word.find('='), word.size());
    std::string name = word.substr(0, equals);
    if (std::string_view count = count_in(words, i); !count.empty() && !is_over) {
      made.push_back(fmt::format("-n{}", count));
      continue;
    }
    bool is_option = i > 0 && !is_over && word.starts_with('-');
    const OtherName* other = is_option ? found(words.front(), name) : nullptr;
    if (!other) {
      made.push_back(word);
      continue;
    }
    if (!other->refusal.empty()) {
      throw Error(ErrorCode::invalid,
                  fmt::format("{}: {}: {}", words.front(), name, other->refusal));
    }
    std::string ours(other->ours);
    std::size_t place = ours.find(kValue);
    if (place == std::string::npos) {
      made.push_back(ours + word.substr(equals));
      continue;
    }
    bool has_value = equals < word.size();
    if (!has_value && i + 1 == words.size()) {
      throw Error(ErrorCode::invalid, fmt::format("{}: {} needs a value", words.front(), name));
    }
    made.push_back(
        ours.replace(place, kValue.size(), has_value ? word.substr(equals + 1) : words[++i]));
  }
  return made;
}

std::string_view our_verb_for(std::string_view verb) {
  for (const auto& [name, ours] : kTheirVerbs) {
    if (name == verb) return ours;
  }
  return {};
}

}  // namespace kitbag::cli
