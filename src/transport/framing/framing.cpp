#include "transport/framing/framing.h"

#include <fmt/format.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <utility>

// A channel's id is a hash of its description (FNV-1a, 64 bits). It needs no agreement: two senders
// of equal channels use one id, senders of different ones practically never. The texts of a channel
// are made once; for a message, only its numbers are appended. Each header repeats encoding and
// type, so that a message is of some use to a receiver that never gets the description.

namespace kitbag::framing {

namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

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
  id_ = fmt::format("{:016x}", hash(channel.topic + '\0' + std::string(content)));
  description_ = fmt::format("{{\"channel\":\"{}\",{}", id_, content.substr(1));

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
  begin_ = fmt::format("{{\"channel\":\"{}\",{}", id_, named.substr(1, named.size() - 2));
}

std::string_view ChannelHeader::of(const Message& message) {
  text_ = begin_;
  auto add = [this](std::string_view name, auto value) {
    text_ += name;
    text_ += fmt::format_int(value).c_str();
  };
  add(",\"log_time\":", to_ns(message.log_time));
  add(",\"publish_time\":", to_ns(message.publish_time));
  add(",\"sequence\":", message.sequence);
  text_ += '}';
  return text_;
}

}  // namespace kitbag::framing
