#include "cli/terminal/json.h"

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <optional>

#include "cli/terminal/json_parts.h"
#include "cli/terminal/print.h"

// Objects that scripts read, one on a line, except reports that are asked for alone and are
// indented for people. Keys have their unit in the name (size_bytes, start_ns, seconds); times are
// integers, since a double has no room for nanoseconds since 1970; what is not known is null or
// absent.
//
// Texts of bags go through json_quoted(), as in the library (bag_info_json.cpp).

namespace kitbag::cli {
namespace {

template <class Json>
void put_cells(Json& json, const std::vector<std::string>& names,
               const std::vector<bool>& are_numbers, const Cells& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    json.Key(names[i].c_str());
    if (are_numbers[i]) {
      json.RawValue(cells[i].data(), cells[i].size(), rapidjson::kNumberType);
    } else {
      put_string(json, cells[i]);
    }
  }
}

}  // namespace

std::string repair_json(const std::string& from, const std::string& to, const Repaired& repaired) {
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> json(buffer);
  json.SetIndent(' ', 2);
  json.StartObject();
  put(json, "in", from);
  put(json, "out", to);
  json.Key("written");
  json.Bool(repaired.is_written);
  put_optional(json, "messages", std::optional(repaired.totals.messages));
  put_damage(json, repaired.damage);
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

std::string converted_json(const Converted& converted) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer json(buffer);
  json.StartObject();
  put_texts(json, "in", converted.inputs);
  put(json, "out", converted.name);
  put_texts(json, "files", converted.files);
  if (!converted.original.empty()) put(json, "original", converted.original);
  const std::pair<const char*, std::uint64_t> numbers[] = {
      {"messages", converted.totals.messages},
      {"topics", count_topics(converted.channels)},
      {"payload_bytes", converted.totals.bytes},
      {"size_bytes", converted.size_bytes},
      {"frames_before_start", converted.key_frames.frames}};
  for (const auto& [key, number] : numbers) {
    json.Key(key);
    json.Uint64(number);
  }
  json.Key("seconds");
  json.Double(std::chrono::duration<double>(converted.taken).count());
  json.Key("damaged");
  json.Bool(converted.code != 0);
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

std::string failed_json(const std::vector<std::string>& inputs, const std::string& target,
                        const std::string& error) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer json(buffer);
  json.StartObject();
  put_texts(json, "in", inputs);
  put(json, "out", target);
  put(json, "error", error);
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

std::string listed_json(const ListedFile& file) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer json(buffer);
  json.StartObject();
  put(json, "path", file.path);
  json.Key("is_folder");
  json.Bool(file.is_folder);
  put_optional(json, "size_bytes", file.is_folder ? std::nullopt : std::optional(file.size_bytes));
  put_optional(json, "modified_ns", file.modified);
  if (!file.link.empty()) put(json, "link", file.link);
  if (file.bag) {
    bool is_empty = file.bag->messages == 0;
    put(json, "format", file.bag->format);
    put_optional(json, "start_ns", is_empty ? std::nullopt : std::optional(file.bag->start));
    put_optional(json, "end_ns", is_empty ? std::nullopt : std::optional(file.bag->end));
    put_optional(json, "messages", std::optional(file.bag->messages));
  }
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

std::string copied_json(const std::string& from, const std::string& to, const Copied& copied,
                        Duration taken) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer json(buffer);
  json.StartObject();
  put_texts(json, "in", {from});
  put(json, "out", to);
  put_optional(json, "files", std::optional(copied.files));
  put_optional(json, "skipped_files", std::optional(copied.skipped_files));
  put_optional(json, "size_bytes", std::optional(copied.size_bytes));
  json.Key("seconds");
  json.Double(std::chrono::duration<double>(taken).count());
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

std::string found_json(const std::string& file, const Summary& summary, const std::string& link) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer json(buffer);
  bool is_empty = summary.messages == 0;
  json.StartObject();
  put(json, "file", shown_path(file));
  put_optional(json, "start_ns", is_empty ? std::nullopt : std::optional(summary.start));
  put_optional(json, "end_ns", is_empty ? std::nullopt : std::optional(summary.end));
  put_optional(json, "messages", std::optional(summary.messages));
  if (!link.empty()) put(json, "link", link);
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

std::string exported_json(const Exported& exported) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer json(buffer);
  json.StartObject();
  put(json, "topic", exported.topic);
  put(json, "file", exported.path);
  put_optional(json, "messages", std::optional(exported.messages));
  put_optional(json, "files", std::optional(exported.files));
  put_optional(json, "size_bytes", std::optional(exported.size_bytes));
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

std::string moment_json(const std::string& file, const Moment& moment, const std::string& link) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer json(buffer);
  json.StartObject();
  put(json, "file", shown_path(file));
  put(json, "topic", moment.topic);
  put_optional(json, "start_ns", std::optional(moment.start));
  put_optional(json, "end_ns", std::optional(moment.end));
  put_optional(json, "messages", std::optional(moment.messages));
  json.Key("value");
  json.RawValue(moment.value.data(), moment.value.size(), rapidjson::kObjectType);
  if (!link.empty()) put(json, "link", link);
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

std::string cut_json(const std::string& file, const Cut& cut, const std::string& what) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer json(buffer);
  json.StartObject();
  put(json, "cut", shown_path(cut.path));
  put(json, "file", shown_path(file));
  put_optional(json, "start_ns", std::optional(cut.range.begin));
  put_optional(json, "end_ns", std::optional(cut.range.end));
  put_optional(json, "moments", std::optional(cut.range.moments));
  put_optional(json, "messages", std::optional(cut.messages));
  put_optional(json, "frames_before_start", std::optional(cut.frames_before));
  put(json, "what", what);
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

// For what the library prints with indents, where a line of its own is wanted.
std::string on_one_line(std::string_view json) {
  std::string line;
  line.reserve(json.size());
  while (!json.empty()) {  // in a string a line break is escaped
    std::size_t end = std::min(json.find('\n'), json.size());
    line += json.substr(0, end);
    json.remove_prefix(std::min(json.find_first_not_of("\n ", end), json.size()));
  }
  return line;
}

std::string uploaded_json(const UploadedFile& file) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer json(buffer);
  json.StartObject();
  put(json, "file", file.path);
  put(json, "target", file.target);
  put_optional(json, "size_bytes", std::optional(file.bytes));
  json.Key("sent");
  json.Bool(!file.was_there);
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

std::string table_json(const std::vector<std::string>& names, const std::vector<bool>& are_numbers,
                       const std::vector<Cells>& rows) {
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> json(buffer);
  json.SetIndent(' ', 2);
  json.StartArray();
  for (const Cells& cells : rows) {
    json.StartObject();
    put_cells(json, names, are_numbers, cells);
    json.EndObject();
  }
  json.EndArray();
  return {buffer.GetString(), buffer.GetSize()};
}

std::string rows_json(const std::string& file, const std::vector<std::string>& names,
                      const std::vector<bool>& are_numbers, const std::vector<Cells>& rows) {
  std::string lines;
  for (const Cells& cells : rows) {
    rapidjson::StringBuffer buffer;
    rapidjson::Writer json(buffer);
    json.StartObject();
    put(json, "file", shown_path(file));
    put_cells(json, names, are_numbers, cells);
    json.EndObject();
    lines.append(buffer.GetString(), buffer.GetSize());
    lines += '\n';
  }
  return lines;
}

std::string types_json(
    const std::map<std::pair<std::string, std::string>, std::set<std::string>>& topics) {
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> json(buffer);
  json.SetIndent(' ', 2);
  json.StartArray();
  for (const auto& [type, its_topics] : topics) {
    json.StartObject();
    put(json, "type", type.first);
    put(json, "language", type.second);
    put_texts(json, "topics", {its_topics.begin(), its_topics.end()});
    json.EndObject();
  }
  json.EndArray();
  return {buffer.GetString(), buffer.GetSize()};
}

std::string values_json(const std::map<std::string, std::string>& values) {
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> json(buffer);
  json.SetIndent(' ', 2);
  json.StartObject();
  for (const auto& [key, value] : values) {
    put_string(json, key);
    put_string(json, value);
  }
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace kitbag::cli
