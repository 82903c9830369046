#include "cli/terminal/json.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <optional>

#include "cli/terminal/json_parts.h"

namespace kitbag::cli {
namespace {

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

}  // namespace kitbag::cli
