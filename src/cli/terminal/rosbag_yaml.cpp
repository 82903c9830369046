#include "cli/terminal/rosbag_yaml.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/escape.h"

// Scripts for rosbag read this YAML, so it has rosbag's form to the letter: a bag without messages
// is "not indexed" there and has few keys, and compression is that of most chunks.

namespace kitbag::cli {
namespace {

using Fact = std::pair<std::string, std::string>;

/// As rosbag calculates: in floating-point numbers.
double seconds(Time time) {
  std::int64_t ns = to_ns(time);
  return static_cast<double>(ns / 1'000'000'000) + static_cast<double>(ns % 1'000'000'000) / 1e9;
}

/// Names from a stranger's bag are quoted where YAML would take them for something else.
std::string scalar(const std::string& text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./~ ";
  bool is_plain = !text.empty() && text.find_first_not_of(kPlain) == std::string::npos &&
                  text.front() != '-' && text.front() != ' ' && text.back() != ' ';
  if (is_plain) return text;
  std::string quoted;
  for (char letter : text) quoted.append(letter == '\'' ? 2 : 1, letter);
  return fmt::format("'{}'", escaped(quoted));
}

void add_compression(const BagInfo& info, const Bag& bag, std::vector<Fact>& facts) {
  std::map<std::string, std::uint64_t> counts;
  std::uint64_t bytes = 0;
  std::uint64_t stored_bytes = 0;
  for (const ChunkSummary& chunk : bag.chunks()) {
    ++counts[chunk.compression];
    bytes += chunk.bytes;
    stored_bytes += chunk.stored_bytes;
  }
  std::string most = info.compression;
  std::uint64_t most_chunks = 0;
  for (const auto& [name, chunks] : counts) {
    if (chunks >= most_chunks) most = name;
    most_chunks = std::max(most_chunks, chunks);
  }
  facts.emplace_back("compression", most);
  bool is_compressed = counts.size() > (counts.contains("none") ? 1U : 0U);
  if (!is_compressed) return;
  facts.emplace_back("uncompressed", std::to_string(bytes));
  facts.emplace_back("compressed", std::to_string(stored_bytes));
}

std::string types_of(const BagInfo& info) {
  std::map<std::string, std::string> sums;
  for (const ChannelInfo& each : info.channels) {
    auto sum = each.channel->metadata.find("md5sum");
    sums[each.channel->type()] = sum == each.channel->metadata.end() ? "*" : sum->second;
  }
  std::string text;
  for (const auto& [type, sum] : sums) {
    text += fmt::format("\n    - type: {}\n      md5: {}", scalar(type),
                        sum == "*" ? "'*'" : scalar(sum));
  }
  return text;
}

std::string topics_in(const BagInfo& info) {
  std::string text;
  for (const TopicInfo& topic : topics_of(info)) {
    text += fmt::format("\n    - topic: {}\n      type: {}\n      messages: {}",
                        scalar(topic.topic), scalar(topic.type), topic.messages);
    if (topic.connections > 1) text += fmt::format("\n      connections: {}", topic.connections);
  }
  return text;
}

/// The value of `key` as a document of its own: what a list has around it is removed.
std::string alone(std::string value) {
  constexpr std::string_view kIndent = "\n    ";
  value += '\n';
  if (!value.starts_with(kIndent)) return value;
  for (std::size_t at = 0; (at = value.find(kIndent, at)) != std::string::npos; ++at) {
    value.erase(at + 1, kIndent.size() - 1);
  }
  return value.substr(1);
}

}  // namespace

std::string rosbag_yaml(const BagInfo& info, const Bag& bag, const std::string& key) {
  const Summary& summary = info.summary;
  bool has_messages = summary.messages > 0;
  std::vector<Fact> facts = {{"path", scalar(info.path)}, {"version", scalar(summary.version)}};
  if (has_messages) {
    double start = seconds(summary.start);
    double end = seconds(summary.end);
    facts.emplace_back("duration", fmt::format("{:.6f}", end - start));
    facts.emplace_back("start", fmt::format("{:.6f}", start));
    facts.emplace_back("end", fmt::format("{:.6f}", end));
  }
  facts.emplace_back("size", std::to_string(summary.size_bytes));
  if (has_messages) facts.emplace_back("messages", std::to_string(summary.messages));
  facts.emplace_back("indexed", has_messages ? "True" : "False");
  if (has_messages) {
    add_compression(info, bag, facts);
    facts.emplace_back("types", types_of(info));
    facts.emplace_back("topics", topics_in(info));
  }
  std::string text;
  std::vector<std::string> keys;
  for (const auto& [name, value] : facts) {
    if (name == key) return alone(value);
    keys.push_back(name);
    text += fmt::format("{}:{}{}\n", name, value.starts_with('\n') ? "" : " ", value);
  }
  if (key.empty()) return text;
  throw Error(ErrorCode::not_found,
              fmt::format("--key: no key \"{}\"; there are {}", key, fmt::join(keys, ", ")),
              info.path);
}

}  // namespace kitbag::cli
