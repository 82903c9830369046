#include "cli/terminal/json.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <chrono>
#include <optional>
#include <utility>

#include "cli/terminal/json_parts.h"

namespace kitbag::cli {
namespace {

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

}  // namespace

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
  // Not known, which a monitor must not take for an endless disk.
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

}  // namespace kitbag::cli
