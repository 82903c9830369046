#include "cli/terminal/json.h"

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <optional>

#include "cli/terminal/print.h"
#include "kitbag/escape.h"

namespace kitbag::cli {
namespace {

template <class Json>
void put_string(Json& json, std::string_view text) {
  std::string quoted = json_quoted(text);
  json.RawValue(quoted.data(), quoted.size(), rapidjson::kStringType);
}

template <class Json>
void put(Json& json, const char* key, std::string_view value) {
  json.Key(key);
  put_string(json, value);
}

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

template <class Json>
void put_texts(Json& json, const char* key, const std::vector<std::string>& texts) {
  json.Key(key);
  json.StartArray();
  for (const std::string& text : texts) put_string(json, text);
  json.EndArray();
}

template <class Json>
void put_optional(Json& json, const char* key, std::optional<std::uint64_t> number) {
  json.Key(key);
  number ? json.Uint64(*number) : json.Null();
}

template <class Json>
void put_optional(Json& json, const char* key, std::optional<Time> time) {
  json.Key(key);
  time ? json.Int64(to_ns(*time)) : json.Null();
}

template <class Json>
void put_problem(Json& json, const Error& problem) {
  put(json, "code", to_string(problem.code()));
  put(json, "message", problem.message());
  bool has_offset = problem.offset() != Error::kNoOffset;
  put_optional(json, "offset", has_offset ? std::optional(problem.offset()) : std::nullopt);
  json.Key("lost");
  if (const auto& loss = problem.loss()) {
    json.StartObject();
    put_optional(json, "messages", loss->messages);
    put_optional(json, "bytes", std::optional(loss->bytes));
    put_optional(json, "from_ns", loss->from);
    put_optional(json, "to_ns", loss->to);
    json.EndObject();
  } else {
    json.Null();
  }
}

template <class Json>
void put_damage(Json& json, const Damage& damage) {
  json.Key("lost");
  json.StartObject();
  put_optional(json, "messages", std::optional(damage.lost_messages()));
  json.Key("exact");
  json.Bool(damage.is_exact());
  put_optional(json, "places", std::optional(damage.losses()));
  put_optional(json, "bytes", std::optional(damage.lost_bytes()));
  json.Key("duration_ns");
  json.Int64(damage.lost_time().count());
  json.EndObject();
  put_optional(json, "problem_count", std::optional(damage.count()));
  json.Key("problems");
  json.StartArray();
  for (const Error& problem : damage.problems()) {
    json.StartObject();
    put_problem(json, problem);
    json.EndObject();
  }
  json.EndArray();
}

template <class Json>
void put_upload(Json& json, const UploadStatus& upload) {
  json.Key("upload");
  json.StartObject();
  put_optional(json, "waiting_files", std::optional(upload.waiting_files));
  put_optional(json, "waiting_bytes", std::optional(upload.waiting_bytes));
  put_optional(json, "uploaded_files", std::optional(upload.uploaded_files));
  put_optional(json, "uploaded_bytes", std::optional(upload.uploaded_bytes));
  put_optional(json, "found_files", std::optional(upload.found_files));
  put(json, "current", upload.current);
  put(json, "failure", upload.failure);
  json.Key("failing_seconds");
  json.Double(std::chrono::duration<double>(upload.failing).count());
  json.EndObject();
}

/// What recorders said, and checksums.
template <class Json>
void put_contents(Json& json, const CatalogBag& bag) {
  json.Key("drops");
  json.StartArray();
  for (const CatalogDrops& drops : bag.drops) {
    json.StartObject();
    put(json, "topic", drops.topic);
    put_optional(json, "dropped", std::optional(drops.dropped));
    put_optional(json, "lost", std::optional(drops.lost));
    json.EndObject();
  }
  json.EndArray();
  json.Key("checksums");
  json.StartArray();
  for (const CatalogChecksum& each : bag.checksums) {
    json.StartObject();
    put(json, "file", each.file);
    put_optional(json, "size_bytes", std::optional(each.size_bytes));
    put(json, "sha256", each.sha256);
    json.EndObject();
  }
  json.EndArray();
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

std::string catalogued_json(const std::string& file, const std::string& what) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer json(buffer);
  json.StartObject();
  put(json, "file", file);
  put(json, "what", what);
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

std::string catalog_json(const CatalogBag& bag) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer json(buffer);
  bool is_empty = bag.messages == 0;
  json.StartObject();
  put_texts(json, "files", bag.paths);
  put(json, "fingerprint", bag.fingerprint);
  put(json, "format", bag.format);
  put_optional(json, "size_bytes", std::optional(bag.size_bytes));
  put_optional(json, "start_ns", is_empty ? std::nullopt : std::optional(bag.start));
  put_optional(json, "end_ns", is_empty ? std::nullopt : std::optional(bag.end));
  put_optional(json, "messages", std::optional(bag.messages));
  put(json, "damage", bag.damage);
  put_optional(json, "problems", std::optional(bag.problems));
  put_optional(json, "added_ns", std::optional(bag.added));
  json.Key("topics");
  json.StartArray();
  for (const CatalogTopic& topic : bag.topics) {
    json.StartObject();
    put(json, "topic", topic.topic);
    put(json, "type", topic.type);
    put(json, "encoding", topic.encoding);
    put_optional(json, "messages", std::optional(topic.messages));
    put_optional(json, "undecoded", std::optional(topic.undecoded));
    put_optional(json, "pictures", std::optional<std::uint64_t>(topic.pictures.size()));
    json.EndObject();
  }
  json.EndArray();
  put_contents(json, bag);
  json.Key("tags");
  json.StartObject();
  for (const auto& [name, value] : bag.tags) {
    std::string quoted = json_quoted(name);
    json.RawValue(quoted.data(), quoted.size(), rapidjson::kStringType);
    put_string(json, value);
  }
  json.EndObject();
  put(json, "note", bag.note);
  json.Key("events");
  json.StartArray();
  for (const CatalogEvent& event : bag.events) {
    json.StartObject();
    put_optional(json, "event", std::optional(static_cast<std::uint64_t>(event.number)));
    put_optional(json, "start_ns", std::optional(event.start));
    put_optional(json, "end_ns", std::optional(event.end));
    put(json, "name", event.name);
    json.EndObject();
  }
  json.EndArray();
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

std::string recording_json(const RecordStatus& status, double rate, double bytes_rate) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer json(buffer);
  json.StartObject();
  json.Key("seconds");
  json.Double(std::chrono::duration<double>(status.elapsed).count());
  const std::pair<const char*, std::uint64_t> numbers[] = {
      {"messages", status.messages},
      {"bytes", status.bytes},
      {"messages_per_second", static_cast<std::uint64_t>(rate)},
      {"bytes_per_second", static_cast<std::uint64_t>(bytes_rate)},
      {"topics", status.topics},
      {"buffered_bytes", status.buffered_bytes},
      {"held_bytes", status.held_bytes},
      {"deleted_files", status.deleted_files},
      {"deleted_messages", status.deleted_messages}};
  for (const auto& [key, number] : numbers) {
    json.Key(key);
    json.Uint64(number);
  }
  std::optional<std::uint64_t> free;
  if (status.free_bytes != UINT64_MAX) free = status.free_bytes;
  put_optional(json, "free_bytes", free);
  json.Key("paused");
  json.Bool(status.is_paused);
  json.Key("recording");
  json.Bool(status.is_recording);
  for (const auto& [key, counts] :
       {std::pair{"dropped", &status.dropped}, {"lost", &status.lost}}) {
    json.Key(key);
    json.StartObject();
    for (const auto& [topic, count] : *counts) {
      put_string(json, topic);
      json.Uint64(count);
    }
    json.EndObject();
  }
  json.Key("undefined");
  json.StartArray();
  for (const std::string& topic : status.undefined) put_string(json, topic);
  json.EndArray();
  json.Key("missing");
  json.StartArray();
  for (const std::string& uri : status.missing) put_string(json, uri);
  json.EndArray();
  json.Key("files");
  json.StartArray();
  for (const std::string& file : status.files) put_string(json, file);
  json.EndArray();
  if (status.upload) put_upload(json, *status.upload);
  json.EndObject();
  return buffer.GetString();
}

std::string playing_json(const PlayStatus& status) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer json(buffer);
  json.StartObject();
  const std::pair<const char*, std::uint64_t> numbers[] = {
      {"messages", status.messages},
      {"bytes", status.bytes},
      {"rounds", status.rounds},
      {"late_messages", status.late_messages},
      {"worst_lateness_ns", static_cast<std::uint64_t>(status.worst_lateness.count())}};
  for (const auto& [key, number] : numbers) {
    json.Key(key);
    json.Uint64(number);
  }
  json.Key("position_ns");
  json.Int64(to_ns(status.position));
  json.Key("rate");
  json.Double(status.rate);
  json.Key("paused");
  json.Bool(status.is_paused);
  json.EndObject();
  return buffer.GetString();
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

void Findings::add(const Error& finding, Severity severity) {
  ++counts_[static_cast<std::size_t>(severity)];
  if (kept_.size() < kMostKept) kept_.push_back({finding, severity});
}

std::string check_json(const std::string& file, const Findings& findings) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer json(buffer);
  json.StartObject();
  put(json, "file", shown_path(file));
  json.Key("sound");
  json.Bool(findings.is_sound());
  put_optional(json, "errors", std::optional(findings.count(Severity::error)));
  put_optional(json, "warnings", std::optional(findings.count(Severity::warning)));
  put_optional(json, "notes", std::optional(findings.count(Severity::note)));
  json.Key("findings");
  json.StartArray();
  for (const Findings::Finding& finding : findings.kept()) {
    json.StartObject();
    put(json, "severity", to_string(finding.severity));
    put_problem(json, finding.error);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

std::string evolution_json(const std::string& file, const Channel& channel,
                           const Evolution& evolution) {
  constexpr const char* kOutcomes[] = {"same", "convertible", "not_convertible", "not_compared"};
  rapidjson::StringBuffer buffer;
  rapidjson::Writer json(buffer);
  json.StartObject();
  put(json, "file", shown_path(file));
  put(json, "topic", channel.topic);
  put(json, "type", channel.type());
  put(json, "outcome", kOutcomes[static_cast<std::size_t>(evolution.outcome)]);
  put(json, "to", evolution.type);
  put(json, "reason", evolution.reason);
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

std::string comparison_json(const std::string& a, const std::string& b,
                            const Comparison& comparison) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer json(buffer);
  json.StartObject();
  put(json, "a", a);
  put(json, "b", b);
  json.Key("same");
  json.Bool(comparison.differences == 0);
  put_optional(json, "messages_a", std::optional(comparison.messages_a));
  put_optional(json, "messages_b", std::optional(comparison.messages_b));
  put_optional(json, "difference_count", std::optional(comparison.differences));
  json.Key("differences");
  json.StartArray();
  for (const Difference& each : comparison.first) {
    json.StartObject();
    put(json, "topic", each.topic);
    put(json, "text", each.text);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
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
