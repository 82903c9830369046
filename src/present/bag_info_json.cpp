#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string_view>

#include "kitbag/bag_info.h"
#include "kitbag/codec.h"
#include "kitbag/escape.h"
#include "kitbag/registry.h"
#include "present/base64.h"

// The JSON of `kitbag info` and of the server, which scripts and pages read: what a bag does not
// have is absent, and times are integers in nanoseconds since 1970.
//
// Texts are written by json_quoted() and not by rapidjson, which knows neither invalid UTF-8 nor
// the directional marks by which a topic could look like another one.

namespace kitbag {
namespace {

using Json = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

/// What `put` writes, with an indent of two spaces.
std::string pretty(const std::function<void(Json& json)>& put) {
  rapidjson::StringBuffer buffer;
  Json json(buffer);
  json.SetIndent(' ', 2);
  put(json);
  return {buffer.GetString(), buffer.GetSize()};
}

void put_string(Json& json, std::string_view text) {
  std::string quoted = json_quoted(text);
  json.RawValue(quoted.data(), quoted.size(), rapidjson::kStringType);
}

void put(Json& json, const char* key, std::string_view value) {
  json.Key(key);
  put_string(json, value);
}

void put(Json& json, const char* key, std::uint64_t value) {
  json.Key(key);
  json.Uint64(value);
}

void put_channel(Json& json, const Channel& channel, std::uint64_t messages) {
  json.StartObject();
  put(json, "topic", channel.topic);
  put(json, "type", channel.type());
  put(json, "encoding", channel.encoding);
  put(json, "schema_language", channel.schema ? channel.schema->language : "");
  put(json, "messages", messages);
  json.Key("latched");
  json.Bool(is_latched(channel));
  json.Key("metadata");
  json.StartObject();
  for (const auto& [key, value] : channel.metadata) {
    put_string(json, key);
    put_string(json, value);
  }
  json.EndObject();
  json.EndObject();
}

void put_times(Json& json, const Summary& summary) {
  json.Key("start_ns");
  json.Int64(to_ns(summary.start));
  json.Key("end_ns");
  json.Int64(to_ns(summary.end));
  json.Key("duration_ns");
  json.Int64(saturating_difference(summary.start, summary.end).count());
}

/// "services" or "actions", unless there are none.
void put_calls(Json& json, const std::vector<CallInfo>& calls, CallTopic::Of of) {
  bool are_services = of == CallTopic::Of::service;
  auto is_one = [of](const CallInfo& call) { return call.of == of; };
  if (std::none_of(calls.begin(), calls.end(), is_one)) return;
  json.Key(are_services ? "services" : "actions");
  json.StartArray();
  for (const CallInfo& call : calls) {
    if (!is_one(call)) continue;
    json.StartObject();
    put(json, are_services ? "service" : "action", call.name);
    put(json, "type", call.type);
    for (const auto& [part, messages] : call.messages) {
      put(json, are_services ? "events" : part.c_str(), messages);
    }
    json.EndObject();
  }
  json.EndArray();
}

void put_bag(Json& json, const BagInfo& info) {
  const Summary& summary = info.summary;
  json.StartObject();
  put(json, "path", info.path);
  put(json, "format", summary.format);
  put(json, "version", summary.version);
  if (!summary.member_format.empty()) {
    put(json, "member_format", summary.member_format);
    put(json, "files", summary.files);
  }
  json.Key("certainty");
  json.Int(summary.certainty);
  put(json, "size_bytes", summary.size_bytes);
  put_times(json, summary);
  put(json, "messages", summary.messages);
  json.Key("indexed");
  json.Bool(summary.indexed);
  std::string compression = summary.whole_file_compression;
  if (compression.empty()) compression = summary.message_compression;
  put(json, "compression", compression.empty() ? info.compression : compression);
  if (info.ratio) {
    json.Key("compression_ratio");
    json.Double(*info.ratio);
  }
  if (!summary.encryption.empty()) {
    put(json, "encryption", summary.encryption);
    put(json, "gpg_user", summary.gpg_user);
  }
  if (!summary.library.empty()) put(json, "library", summary.library);
  if (!summary.profile.empty()) put(json, "profile", summary.profile);
  if (has_chunk_count(summary)) put(json, "chunks", summary.chunks);
  if (info.attachments) put(json, "attachments", *info.attachments);
  if (info.metadata) put(json, "metadata", *info.metadata);
  json.Key("channels");
  json.StartArray();
  for (const ChannelInfo& channel : info.channels) {
    put_channel(json, *channel.channel, channel.messages);
  }
  json.EndArray();
  std::vector<CallInfo> calls = calls_of(info);
  put_calls(json, calls, CallTopic::Of::service);
  put_calls(json, calls, CallTopic::Of::action);
  json.EndObject();
}

/// Whether a person can read the text of a schema. What is not UTF-8 would be changed as text.
bool is_text(const Schema& schema, const Session& session) {
  const Language* language = find_language(session.registry(), schema.language);
  std::size_t replaced = 0;
  valid_utf8(schema.text, &replaced);
  return replaced == 0 && (!language || language->is_text);
}

}  // namespace

std::string info_json(std::span<const BagInfo> bags) {
  return pretty([&](Json& json) {
    if (bags.size() != 1) json.StartArray();
    for (const BagInfo& info : bags) put_bag(json, info);
    if (bags.size() != 1) json.EndArray();
  });
}

std::string topics_json(const BagInfo& info) {
  return pretty([&](Json& json) {
    json.StartArray();
    for (const TopicInfo& topic : topics_of(info)) {
      json.StartObject();
      put(json, "topic", topic.topic);
      put(json, "type", topic.type);
      put(json, "messages", topic.messages);
      json.Key("rate_hz");
      json.Double(topic.rate_hz);
      put(json, "connections", topic.connections);
      put(json, "latched", topic.latched);
      json.EndObject();
    }
    json.EndArray();
  });
}

std::string schemas_json(const BagInfo& info, const Session& session) {
  struct Used {
    SchemaPtr schema;
    std::set<std::string> topics;
  };
  std::map<std::array<std::string_view, 3>, Used> schemas;
  for (const ChannelInfo& each : info.channels) {
    const SchemaPtr& schema = each.channel->schema;
    if (!schema) continue;
    Used& used = schemas[{schema->name, schema->language, schema->text}];
    if (!used.schema) used.schema = schema;
    used.topics.insert(each.channel->topic);
  }
  return pretty([&](Json& json) {
    json.StartArray();
    for (const auto& [key, used] : schemas) {
      json.StartObject();
      put(json, "name", used.schema->name);
      put(json, "language", used.schema->language);
      if (is_text(*used.schema, session)) {
        put(json, "text", used.schema->text);
      } else {
        put(json, "data_base64", base64(as_bytes(used.schema->text)));
      }
      json.Key("topics");
      json.StartArray();
      for (const std::string& topic : used.topics) put_string(json, topic);
      json.EndArray();
      json.EndObject();
    }
    json.EndArray();
  });
}

}  // namespace kitbag
