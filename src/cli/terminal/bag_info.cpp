#include "cli/terminal/bag_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/terminal/print.h"
#include "cli/terminal/table.h"
#include "kitbag/escape.h"
#include "kitbag/text.h"
#include "kitbag/usage.h"

namespace kitbag::cli {
namespace {

/// This many headers are read: those of a terabyte would take minutes from a disk.
constexpr std::size_t kMostChunks = 4096;

/// A line of the table: what was recorded on one topic under one type.
struct TopicRow {
  std::uint64_t messages = 0;
  std::uint64_t connections = 0;
  std::uint64_t latched = 0;  ///< of the connections
};

using TopicRows = std::map<std::pair<std::string, std::string>, TopicRow>;

TopicRows rows_by_topic(const BagInfo& info) {
  TopicRows rows;
  for (const auto& [channel, messages] : info.channels) {
    TopicRow& row = rows[{channel->topic, channel->type()}];
    row.messages += messages;
    row.connections += 1;
    if (is_latched(*channel)) row.latched += 1;
  }
  return rows;
}

std::string rate_text(std::uint64_t messages, Duration duration) {
  if (messages < 2 || duration <= Duration::zero()) return "-";
  double seconds = std::chrono::duration<double>(duration).count();
  double rate = static_cast<double>(messages) / seconds;
  return rate < 100 ? fmt::format("{:.3g} Hz", rate) : fmt::format("{:.0f} Hz", rate);
}

std::string latched_text(const TopicRow& row) {
  if (row.latched == 0) return "no";
  if (row.latched == row.connections) return "yes";
  return fmt::format("{} of {}", row.latched, row.connections);
}

std::string format_text(const Summary& summary) {
  std::string text = summary.format;
  if (!summary.version.empty()) text += " " + summary.version;  // an empty file has none
  if (!summary.member_format.empty()) {
    text += fmt::format(", {} of {}", counted(summary.files, "file"), summary.member_format);
  }
  if (summary.certainty < 100) {
    text += fmt::format(", recognized by its first three lines ({} % sure)", summary.certainty);
  }
  if (summary.is_stream) return text + ", from a pipe";
  return text + (summary.indexed ? "" : ", without an index");
}

std::string compression_text(const BagInfo& info) {
  const std::string& whole_file = info.summary.whole_file_compression;
  if (!whole_file.empty()) return fmt::format("the whole file by {}", whole_file);
  const std::string& of_messages = info.summary.message_compression;
  if (!of_messages.empty()) return fmt::format("each message by {}", of_messages);
  if (!info.ratio) return info.compression;
  return fmt::format("{}, {:.2f} to 1", info.compression, *info.ratio);
}

std::string encryption_text(const Summary& summary) {
  if (summary.gpg_user.empty()) return summary.encryption;
  return fmt::format("{}, for {}", summary.encryption, summary.gpg_user);
}

std::string time_text(Time time) {
  std::int64_t ns = to_ns(time);
  return fmt::format("{} ({}.{:09})", format_time(time), ns / 1'000'000'000, ns % 1'000'000'000);
}

std::string topic_table(const BagInfo& info, bool is_terminal) {
  std::vector<Cells> lines = {{"topic", "type", "messages", "rate", "connections", "latched"}};
  Duration duration = info.summary.end - info.summary.start;
  for (const auto& [names, row] : rows_by_topic(info)) {
    lines.push_back({names.first, names.second, grouped(row.messages),
                     rate_text(row.messages, duration), grouped(row.connections),
                     latched_text(row)});
  }
  return layout_table(lines, {false, false, true, true, true, false}, is_terminal);
}

}  // namespace

bool has_chunk_count(const Summary& summary) {
  return !summary.is_stream && summary.member_format.empty();
}

BagInfo describe_bag(const std::string& path, const Bag& bag, const std::stop_token& stop) {
  BagInfo info{path, counted_summary(bag, stop), "none", std::nullopt, {}};
  std::uint64_t stored = 0;
  std::uint64_t whole = 0;
  bool is_compressed = false;
  bool is_first = true;
  for (const ChunkSummary& chunk : bag.some_chunks(kMostChunks)) {
    if (is_first) info.compression = chunk.compression;
    if (chunk.compression != info.compression) info.compression = "mixed";
    is_compressed |= chunk.compression != "none";
    is_first = false;
    stored += chunk.stored_bytes;
    whole += chunk.bytes;
  }
  if (is_compressed && stored > 0) {
    info.ratio = static_cast<double>(whole) / static_cast<double>(stored);
  }
  const Summary& summary = info.summary;
  for (std::size_t slot = 0; slot < summary.channels->size(); ++slot) {
    if (const ChannelPtr& channel = (*summary.channels)[slot]) {
      info.channels.push_back({channel, summary.message_counts.at(slot)});
    }
  }
  return info;
}

std::string info_text(const BagInfo& info, bool is_terminal) {
  const Summary& summary = info.summary;
  std::string text;
  auto fact = [&](std::string_view name, const std::string& value) {
    std::string heading = fmt::format("{:<13}", fmt::format("{}:", name));
    text += fmt::format("{}{}\n", styled(heading, Style::bold, is_terminal), escaped(value));
  };
  fact("path", info.path);
  fact("format", format_text(summary));
  if (!summary.is_stream) {
    fact("size", fmt::format("{} ({})", format_size(summary.size_bytes),
                             counted(summary.size_bytes, "byte")));
  }
  if (summary.messages > 0) {
    fact("start", time_text(summary.start));
    fact("end", time_text(summary.end));
    fact("duration", format_duration(summary.end - summary.start));
  }
  fact("messages", grouped(summary.messages));
  if (!summary.is_stream) fact("compression", compression_text(info));
  if (!summary.encryption.empty()) fact("encryption", encryption_text(summary));
  if (has_chunk_count(summary)) fact("chunks", grouped(summary.chunks));
  if (info.channels.empty()) return text;
  text += '\n';
  text += topic_table(info, is_terminal);
  return text;
}

}  // namespace kitbag::cli
