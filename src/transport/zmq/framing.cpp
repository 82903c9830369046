#include "transport/zmq/framing.h"

#include <fmt/format.h>
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <iterator>
#include <utility>

namespace kitbag::zmq_transport {

namespace {

using Value = rapidjson::Value;
using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

std::string text_of(const Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

/// True: the member is absent, or a string that is now in `into`.
bool take_text(const Value& object, const char* name, std::string& into) {
  auto member = object.FindMember(name);
  if (member == object.MemberEnd()) return true;
  if (!member->value.IsString()) return false;
  into = text_of(member->value);
  return true;
}

bool take_time(const Value& object, const char* name, std::optional<Time>& into) {
  auto member = object.FindMember(name);
  if (member == object.MemberEnd()) return true;
  if (!member->value.IsInt64()) return false;
  into = from_ns(member->value.GetInt64());
  return true;
}

bool take_schema(const Value& object, std::optional<Schema>& into) {
  auto member = object.FindMember("schema");
  if (member == object.MemberEnd() || member->value.IsNull()) return true;
  if (!member->value.IsObject()) return false;
  Schema& schema = into.emplace();
  return take_text(member->value, "name", schema.name) &&
         take_text(member->value, "language", schema.language) &&
         take_text(member->value, "text", schema.text);
}

bool take_metadata(const Value& object, std::map<std::string, std::string>& into) {
  auto member = object.FindMember("metadata");
  if (member == object.MemberEnd()) return true;
  if (!member->value.IsObject()) return false;
  for (const auto& entry : member->value.GetObject()) {
    if (!entry.value.IsString()) return false;
    into[text_of(entry.name)] = text_of(entry.value);
  }
  return true;
}

bool take_rest(const Value& object, Header& header) {
  auto sequence = object.FindMember("sequence");
  if (sequence != object.MemberEnd()) {
    if (!sequence->value.IsUint()) return false;
    header.sequence = sequence->value.GetUint();
  }
  auto end = object.FindMember("end");
  if (end == object.MemberEnd()) return true;
  header.is_end = end->value.IsTrue();
  return end->value.IsBool();
}

void put(Writer& writer, std::string_view text) {
  writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

void put(Writer& writer, const char* name, std::string_view text) {
  writer.Key(name);
  put(writer, text);
}

/// FNV-1a: equal descriptions are one channel, whoever sends them.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325;
  for (char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return value;
}

}  // namespace

std::optional<Header> parse_header(std::string_view json) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(json.data(), json.size());
  if (document.HasParseError() || !document.IsObject()) return std::nullopt;
  Header header;
  bool is_sound =
      take_text(document, "channel", header.id) &&
      take_text(document, "encoding", header.encoding) && take_schema(document, header.schema) &&
      take_metadata(document, header.metadata) &&
      take_time(document, "log_time", header.log_time) &&
      take_time(document, "publish_time", header.publish_time) && take_rest(document, header);
  if (!is_sound) return std::nullopt;
  return header;
}

ChannelHeader::ChannelHeader(const Channel& channel) {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  writer.StartObject();
  put(writer, "encoding", channel.encoding);
  if (channel.schema) {
    writer.Key("schema");
    writer.StartObject();
    put(writer, "name", channel.schema->name);
    put(writer, "language", channel.schema->language);
    put(writer, "text", channel.schema->text);
    writer.EndObject();
  }
  writer.Key("metadata");
  writer.StartObject();
  for (const auto& [key, value] : channel.metadata) put(writer, key.c_str(), value);
  writer.EndObject();
  writer.EndObject();
  std::string_view content(buffer.GetString(), buffer.GetSize());
  std::uint64_t id = hash(channel.topic + '\0' + std::string(content));
  description_ = fmt::format("{{\"channel\":\"{:016x}\",{}", id, content.substr(1));

  rapidjson::StringBuffer names;
  Writer begin(names);
  begin.StartObject();
  put(begin, "encoding", channel.encoding);
  if (channel.schema) {
    begin.Key("schema");
    begin.StartObject();
    put(begin, "name", channel.schema->name);
    begin.EndObject();
  }
  begin.EndObject();
  std::string_view named(names.GetString(), names.GetSize());
  begin_ = fmt::format("{{\"channel\":\"{:016x}\",{}", id, named.substr(1, named.size() - 2));
}

std::string_view ChannelHeader::of(const Message& message) {
  text_ = begin_;
  fmt::format_to(std::back_inserter(text_),
                 ",\"log_time\":{},\"publish_time\":{},\"sequence\":{}}}", to_ns(message.log_time),
                 to_ns(message.publish_time), message.sequence);
  return text_;
}

}  // namespace kitbag::zmq_transport
