#include "cli/terminal/bag_info.h"

#include <fmt/format.h>

#include <array>

#include "cli/terminal/print.h"
#include "cli/terminal/table.h"
#include "kitbag/escape.h"
#include "kitbag/text.h"

// For people only. Programs get info_json() of the library, so words and the order of lines may
// change here.

namespace kitbag::cli {
namespace {

std::string rate_text(double rate) {
  // One message has no rate, nor have many at one time.
  if (rate <= 0) return "-";
  return rate < 100 ? fmt::format("{:.3g} Hz", rate) : fmt::format("{:.0f} Hz", rate);
}

std::string latched_text(const TopicInfo& row) {
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
  return fmt::format("{} ({})", format_time(time), format_seconds(time));
}

/// Topics that belong to no service or action; empty if there are none.
std::string topic_table(const BagInfo& info, bool is_terminal) {
  std::vector<Cells> lines = {{"topic", "type", "messages", "rate", "connections", "latched"}};
  for (const TopicInfo& row : topics_of(info)) {
    // The five topics of an action would hide the others; they have a table of their own.
    if (call_topic(row.topic, row.type)) continue;
    lines.push_back({row.topic, row.type, grouped(row.messages), rate_text(row.rate_hz),
                     grouped(row.connections), latched_text(row)});
  }
  if (lines.size() == 1) return {};
  return layout_table(lines, {false, false, true, true, true, false}, is_terminal);
}

std::string service_table(const std::vector<CallInfo>& calls, bool is_terminal) {
  std::vector<Cells> lines = {{"service", "type", "events"}};
  for (const CallInfo& call : calls) {
    if (call.of != CallTopic::Of::service) continue;
    lines.push_back({call.name, call.type, grouped(call.messages.begin()->second)});
  }
  return lines.size() == 1 ? "" : layout_table(lines, {false, false, true}, is_terminal);
}

std::string action_table(const std::vector<CallInfo>& calls, bool is_terminal) {
  constexpr std::array kParts = {"send_goal", "get_result", "cancel_goal", "feedback", "status"};
  std::vector<Cells> lines = {{"action", "type"}};
  for (const char* part : kParts) lines.front().emplace_back(part);
  for (const CallInfo& call : calls) {
    if (call.of != CallTopic::Of::action) continue;
    Cells line = {call.name, call.type.empty() ? "-" : call.type};
    for (const char* part : kParts) {
      auto found = call.messages.find(part);
      line.push_back(found == call.messages.end() ? "-" : grouped(found->second));
    }
    lines.push_back(std::move(line));
  }
  if (lines.size() == 1) return {};
  return layout_table(lines, {false, false, true, true, true, true, true}, is_terminal);
}

}  // namespace

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
  if (!summary.profile.empty()) fact("profile", summary.profile);
  if (!summary.library.empty()) fact("library", summary.library);
  if (info.attachments.value_or(0) > 0) fact("attachments", grouped(*info.attachments));
  if (info.metadata.value_or(0) > 0) fact("metadata", grouped(*info.metadata));
  std::vector<CallInfo> calls = calls_of(info);
  for (const std::string& table :
       {topic_table(info, is_terminal), service_table(calls, is_terminal),
        action_table(calls, is_terminal)}) {
    if (!table.empty()) text += "\n" + table;
  }
  return text;
}

}  // namespace kitbag::cli
