// `ros2 bag convert`: its files of options have a list of outputs, each of which becomes a command
// line of ours. Their keys are data, like the options of command lines.
//
// rosbag2 prints all of its keys with defaults when it writes such a file, so a value that says
// nothing is passed over, also for keys that are refused otherwise. A key that is not known is an
// error: a filter that is left out silently would write what somebody wanted to be left out.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "cli/peers/ros2_bag.h"
#include "kitbag/bag_options.h"
#include "kitbag/error.h"
#include "kitbag/file.h"
#include "kitbag/text.h"

namespace kitbag::cli::of_ros2_bag {
namespace {

using rosbag2::BagOptions;
using Values = std::vector<std::string>;

/// The keys of an output. Those without words are taken: kitbag does it anyway, or words_of() does.
constexpr PeerOption kKeys[] = {
    {"uri", kOne},
    {"storage_id", kOne},
    {"max_bagfile_size", kOne, "--split-size={}"},
    {"max_bagfile_duration", kOne, "--split-duration={}s"},
    {"max_cache_size", kOne},
    {"storage_preset_profile", kOne, "--preset={}"},
    {"storage_config_uri", kOne, {}, kStorageConfig},
    {"snapshot_mode", kOne, {}, "a conversion takes no snapshots; leave it out"},
    {"start_time_ns", kOne},
    {"end_time_ns", kOne},
    {"custom_data", kMany, {}, kCustomData},
    {"all", kOne},
    {"all_topics", kOne},
    {"all_services", kOne},
    {"all_actions", kOne},
    {"topics", kMany, "--topics {}"},
    {"topic_types", kMany, "--types {}"},
    {"services", kMany, "--services {}"},
    {"actions", kMany, "--actions {}"},
    {"regex", kOne, "--regex {}"},
    {"exclude", kOne, "--exclude-regex {}"},
    {"exclude_regex", kOne, "--exclude-regex {}"},
    {"exclude_topics", kMany, "--exclude {}"},
    {"exclude_topic_types", kMany},
    {"exclude_services", kMany, "--exclude-services {}"},
    {"exclude_actions", kMany, "--exclude-actions {}"},
    {"include_hidden_topics", kOne},
    {"include_unpublished_topics", kOne},
    {"is_discovery_disabled", kOne},
    {"ignore_leaf_topics", kOne},
    {"topic_polling_interval", kMany},
    {"node_prefix", kOne},
    {"compression_mode", kOne},
    {"compression_format", kOne},
    {"compression_queue_size", kOne},
    {"compression_threads", kOne, "--threads={}"},
    {"rmw_serialization_format", kOne, "--encoding={}"},
    {"output_serialization_format", kOne, "--encoding={}"},
    {"input_serialization_format", kOne},
};

/// How rosbag2 writes what nobody asked for.
bool says_nothing(const Values& values) {
  constexpr std::array<std::string_view, 5> kDefaults = {"", "0", "-1", "false", "none"};
  return std::ranges::all_of(values, [&](const std::string& value) {
    return std::ranges::find(kDefaults, value) != kDefaults.end();
  });
}

std::vector<BagOptions> read_bags(const std::string& path, std::string_view list) {
  constexpr std::uint64_t kMostBytes = 16 << 20;
  auto file = open_file(path);
  if (file->is_forward_only() || file->size() > kMostBytes) {
    throw Error(ErrorCode::invalid, "this is no file of options", path);
  }
  std::string text(static_cast<std::size_t>(file->size()), '\0');
  text.resize(file->read(0, std::as_writable_bytes(std::span(text))));
  try {
    return rosbag2::parse_bag_options(text, list);
  } catch (const Error& error) {
    throw Error(error.code(), path + ": " + error.message());
  }
}

/// An output that is asked for.
class OutputOptions {
 public:
  OutputOptions(const BagOptions& options, const PeerCommand& command) : command_(command) {
    std::vector<std::string> known;
    for (const PeerOption& key : kKeys) known.emplace_back(key.names);
    for (const auto& [name, values] : options) {
      const auto* key = std::ranges::find(kKeys, name, &PeerOption::names);
      if (key == std::end(kKeys)) {
        command.refuse(fmt::format("unknown key {}{}", name, nearest_hint(name, known)));
      }
      if (says_nothing(values)) continue;
      if (!key->refusal.empty()) command.refuse(fmt::format("{}: {}", name, key->refusal));
      if (key->takes == kOne && values.size() != 1) {
        command.refuse(fmt::format("{} takes one value", name));
      }
      values_[name] = values;
    }
  }

  Values words() {
    std::string uri = value("uri");
    if (uri.empty()) command_.refuse("an output has no uri");
    while (uri.size() > 1 && uri.ends_with('/')) uri.pop_back();
    words_ = {"--output=" + uri + "/", "--format=" + value("storage_id", "mcap")};
    choose_topics();
    for (const PeerOption& key : kKeys) {
      if (has(key.names)) add_words(key.ours, values_.find(key.names)->second, words_);
    }
    for (const auto& [key, option] :
         {std::pair{"start_time_ns", "--start="}, std::pair{"end_time_ns", "--end="}}) {
      if (has(key)) words_.push_back(option + seconds_of_ns(value(key), key, command_));
    }
    std::string compression =
        our_compression(value("compression_mode"), value("compression_format"), command_);
    if (!compression.empty()) words_.push_back(compression);
    return words_;
  }

 private:
  bool has(std::string_view key) const { return values_.contains(key); }

  std::string value(std::string_view key, const std::string& otherwise = {}) const {
    auto found = values_.find(key);
    return found == values_.end() ? otherwise : found->second.front();
  }

  /// Topics, services and actions are chosen apart from each other. What chooses all of a kind
  /// overrides what chooses some of it.
  void choose_topics() {
    if (has("all")) {
      for (const char* key : kSome) values_.erase(key);
    } else if (has("all_topics")) {
      // One selection cannot say all topics and some services: a pattern of services would select
      // these alone.
      if (has("services") || has("actions")) {
        command_.refuse("all_topics and some services or actions: write an output for each");
      }
      for (const char* key : kSome) values_.erase(key);
      if (!has("all_services")) add_words("--exclude-services=*", {}, words_);
      if (!has("all_actions")) add_words("--exclude-actions=*", {}, words_);
    } else {
      if (has("all_services")) add_words("--services=*", {}, words_);
      if (has("all_actions")) add_words("--actions=*", {}, words_);
      bool is_some = std::ranges::any_of(kSome, [this](const char* key) { return has(key); });
      if (!is_some && !has("all_services") && !has("all_actions")) {
        command_.refuse(
            fmt::format("{}: no topics are chosen, so it would be empty; all_topics: true chooses "
                        "all",
                        value("uri")));
      }
    }
    if (!has("exclude_topic_types")) return;
    std::string condition;
    for (const std::string& type : values_["exclude_topic_types"]) {
      condition += fmt::format("{}type != \"{}\"", condition.empty() ? "" : " && ", type);
    }
    words_.push_back("--where=" + condition);
  }

  static constexpr std::array kSome = {"topics", "topic_types", "services", "actions", "regex"};

  const PeerCommand& command_;
  std::map<std::string, Values, std::less<>> values_;
  Values words_;
};

}  // namespace

void complete_convert(PeerCommand& command) {
  take_inputs(command);
  std::string inputs = command.value("--input-options");
  if (!inputs.empty()) {
    for (const BagOptions& bag : read_bags(inputs, "input_bags")) {
      for (const auto& [name, values] : bag) {
        if (name == "uri" && values.size() == 1) command.arguments.push_back(values.front());
      }
    }
  }
  if (command.arguments.empty()) command.refuse("-i or --input-options names the bags to read");
  std::string outputs = command.value("--output-options");
  if (outputs.empty()) command.refuse("-o needs a file with the outputs");
  for (const BagOptions& bag : read_bags(outputs, "output_bags")) {
    command.lines.push_back(OutputOptions(bag, command).words());
  }
  if (command.lines.empty()) command.refuse(outputs + ": the list output_bags is empty");
}

}  // namespace kitbag::cli::of_ros2_bag
