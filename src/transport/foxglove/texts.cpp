#include <fmt/format.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kitbag/base64.h"
#include "kitbag/bytes.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/foxglove.h"

// A text is parsed into a tree, which is simple to read. Two limits bound its memory: the bytes of
// the text, and the number of values in it.
//
//   server   serverInfo   who it is, what it can do; the first text of a connection
//            advertise    channels: id, topic, encoding, schemaName, schema, schemaEncoding
//            unadvertise  their ids
//            status       a sentence for people
//   client   subscribe    pairs of an id of its own and a channel's id; messages carry the former
//            unsubscribe  ids of its own
//
// Some definitions are binary (protobuf, flatbuffer) and come in base64, as JSON has no bytes.
// Servers differ in what they leave out, so null counts as absent, and without schemaEncoding the
// language follows from the encoding. An unknown `op` is no error: newer servers have more of them.

namespace kitbag::foxglove {
namespace {

using rapidjson::Value;

/// Values of a text. Each takes 16 bytes.
constexpr std::ptrdiff_t kMostValues = 2 << 20;

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::corrupt, "malformed message: " + what);
}

const Value* find(const Value& object, const char* name) {
  auto member = object.FindMember(name);
  return member == object.MemberEnd() || member->value.IsNull() ? nullptr : &member->value;
}

std::string text_of(const Value& value, const char* name) {
  if (!value.IsString()) refuse(fmt::format("\"{}\" is not a string", name));
  return {value.GetString(), value.GetStringLength()};
}

std::string text_in(const Value& object, const char* name) {
  const Value* value = find(object, name);
  return value ? text_of(*value, name) : std::string();
}

std::string needed_text_in(const Value& object, const char* name) {
  if (!find(object, name)) refuse(fmt::format("\"{}\" is missing", name));
  return text_in(object, name);
}

template <class Number>
Number number_of(const Value& value, const char* name) {
  if (!value.IsUint64() || value.GetUint64() > std::numeric_limits<Number>::max()) {
    refuse(fmt::format("\"{}\" is not a whole number in its range", name));
  }
  return static_cast<Number>(value.GetUint64());
}

template <class Number>
Number number_in(const Value& object, const char* name) {
  const Value* value = find(object, name);
  if (!value) refuse(fmt::format("\"{}\" is missing", name));
  return number_of<Number>(*value, name);
}

/// Calls `take` with each element of a list that may be absent.
template <class Take>
void for_each_in(const Value& object, const char* name, Take take) {
  const Value* list = find(object, name);
  if (!list) return;
  if (!list->IsArray()) refuse(fmt::format("\"{}\" is not an array", name));
  for (const Value& each : list->GetArray()) take(each);
}

template <class Take>
void for_each_object_in(const Value& object, const char* name, Take take) {
  if (!find(object, name)) refuse(fmt::format("\"{}\" is missing", name));
  for_each_in(object, name, [&](const Value& each) {
    if (!each.IsObject()) refuse(fmt::format("\"{}\" has an element that is no object", name));
    take(each);
  });
}

std::optional<Time> time_in(const Value& object, const char* name) {
  const Value* value = find(object, name);
  if (!value) return std::nullopt;
  if (!value->IsObject()) refuse(fmt::format("\"{}\" is not an object", name));
  auto seconds = number_in<std::uint32_t>(*value, "sec");
  auto rest = number_in<std::uint32_t>(*value, "nsec");
  return from_ns(std::int64_t{seconds} * 1'000'000'000 + rest);
}

// --- definitions ---

bool is_in_base64(std::string_view language) {
  return language == "protobuf" || language == "flatbuffer";
}

/// The language of definitions where a channel names none.
std::string language_of(const std::string& encoding) {
  constexpr std::pair<std::string_view, std::string_view> kLanguages[] = {
      {"ros1", "ros1msg"}, {"cdr", "ros2msg"}, {"json", "jsonschema"}, {"protobuf", "protobuf"}};
  for (const auto& [known, language] : kLanguages) {
    if (encoding == known) return std::string(language);
  }
  return encoding;
}

AdvertisedChannel channel_of(const Value& object) {
  AdvertisedChannel made;
  made.id = number_in<std::uint64_t>(object, "id");
  made.channel.topic = needed_text_in(object, "topic");
  made.channel.encoding = needed_text_in(object, "encoding");
  Schema schema;
  schema.name = text_in(object, "schemaName");
  schema.text = text_in(object, "schema");
  schema.language = text_in(object, "schemaEncoding");
  if (schema.language.empty() && !schema.text.empty()) {
    schema.language = language_of(made.channel.encoding);
  }
  if (is_in_base64(schema.language)) {
    auto bytes = decode_base64(schema.text);
    if (!bytes) refuse("the definition is not base64");
    schema.text = as_text(*bytes);
  }
  if (schema != Schema()) made.channel.schema = std::make_shared<const Schema>(std::move(schema));
  return made;
}

// --- the texts ---

ServerInfo server_info_of(const Value& object) {
  ServerInfo info;
  info.name = text_in(object, "name");
  info.session_id = text_in(object, "sessionId");
  for_each_in(object, "capabilities", [&](const Value& each) {
    info.capabilities.push_back(text_of(each, "capabilities"));
  });
  for_each_in(object, "supportedEncodings", [&](const Value& each) {
    info.encodings.push_back(text_of(each, "supportedEncodings"));
  });
  auto begin = time_in(object, "dataStartTime");
  auto end = time_in(object, "dataEndTime");
  if (begin && end) info.range = {*begin, *end};
  return info;
}

Status status_of(const Value& object) {
  return {number_in<int>(object, "level"), needed_text_in(object, "message")};
}

Advertise advertise_of(const Value& object) {
  Advertise text;
  for_each_object_in(object, "channels",
                     [&](const Value& each) { text.channels.push_back(channel_of(each)); });
  return text;
}

Unadvertise unadvertise_of(const Value& object) {
  Unadvertise text;
  for_each_in(object, "channelIds", [&](const Value& each) {
    text.ids.push_back(number_of<std::uint64_t>(each, "channelIds"));
  });
  return text;
}

Subscribe subscribe_of(const Value& object) {
  Subscribe text;
  for_each_object_in(object, "subscriptions", [&](const Value& each) {
    text.subscriptions.push_back(
        {number_in<std::uint32_t>(each, "id"), number_in<std::uint64_t>(each, "channelId")});
  });
  return text;
}

Unsubscribe unsubscribe_of(const Value& object) {
  Unsubscribe text;
  for_each_in(object, "subscriptionIds", [&](const Value& each) {
    text.ids.push_back(number_of<std::uint32_t>(each, "subscriptionIds"));
  });
  return text;
}

std::vector<ConnectionGraphUpdate::Topic> nodes_of(const Value& object, const char* topics,
                                                   const char* nodes) {
  std::vector<ConnectionGraphUpdate::Topic> all;
  for_each_in(object, topics, [&](const Value& each) {
    if (!each.IsObject()) refuse(fmt::format("\"{}\" has an element that is no object", topics));
    ConnectionGraphUpdate::Topic& topic = all.emplace_back();
    topic.name = needed_text_in(each, "name");
    for_each_in(each, nodes, [&](const Value& id) { topic.nodes.push_back(text_of(id, nodes)); });
  });
  return all;
}

ConnectionGraphUpdate connection_graph_of(const Value& object) {
  ConnectionGraphUpdate update;
  update.published = nodes_of(object, "publishedTopics", "publisherIds");
  update.subscribed = nodes_of(object, "subscribedTopics", "subscriberIds");
  for_each_in(object, "removedTopics",
              [&](const Value& each) { update.removed.push_back(text_of(each, "removedTopics")); });
  return update;
}

// --- writing ---

template <class List, class Print>
std::string list_of(const List& list, Print print) {
  std::string json = "[";
  for (const auto& each : list) {
    if (json.size() > 1) json += ',';
    json += print(each);
  }
  return json + ']';
}

std::string quoted(const std::string& text) {
  return json_quoted(text);
}

std::string number(std::uint64_t value) {
  return fmt::format("{}", value);
}

std::string json_of(Time time) {
  std::int64_t ns = std::max<std::int64_t>(to_ns(time), 0);
  return fmt::format(R"({{"sec":{},"nsec":{}}})", ns / 1'000'000'000, ns % 1'000'000'000);
}

std::string json_of(const AdvertisedChannel& advertised) {
  const Channel& channel = advertised.channel;
  std::string json =
      fmt::format(R"({{"id":{},"topic":{},"encoding":{},"schemaName":{})", advertised.id,
                  quoted(channel.topic), quoted(channel.encoding), quoted(channel.type()));
  if (channel.schema && !channel.schema->language.empty()) {
    bool is_binary = is_in_base64(channel.schema->language);
    const std::string& text = channel.schema->text;
    json += fmt::format(R"(,"schemaEncoding":{},"schema":{})", quoted(channel.schema->language),
                        quoted(is_binary ? encode_base64(as_bytes(text)) : text));
  } else {
    json += R"(,"schema":"")";
  }
  return json + '}';
}

struct Print {
  std::string operator()(const OtherText& text) const {
    return fmt::format(R"({{"op":{}}})", quoted(text.op));
  }
  std::string operator()(const ServerInfo& info) const {
    std::string json = fmt::format(R"({{"op":"serverInfo","name":{},"capabilities":{})",
                                   quoted(info.name), list_of(info.capabilities, quoted));
    if (!info.encodings.empty()) {
      json += fmt::format(R"(,"supportedEncodings":{})", list_of(info.encodings, quoted));
    }
    if (!info.session_id.empty()) {
      json += fmt::format(R"(,"sessionId":{})", quoted(info.session_id));
    }
    if (info.range) {
      json += fmt::format(R"(,"dataStartTime":{},"dataEndTime":{})", json_of(info.range->first),
                          json_of(info.range->second));
    }
    return json + '}';
  }
  std::string operator()(const Status& status) const {
    return fmt::format(R"({{"op":"status","level":{},"message":{}}})", status.level,
                       quoted(status.message));
  }
  std::string operator()(const Advertise& text) const {
    return fmt::format(
        R"({{"op":"advertise","channels":{}}})",
        list_of(text.channels, [](const AdvertisedChannel& each) { return json_of(each); }));
  }
  std::string operator()(const Unadvertise& text) const {
    return fmt::format(R"({{"op":"unadvertise","channelIds":{}}})", list_of(text.ids, number));
  }
  std::string operator()(const Subscribe& text) const {
    return fmt::format(R"({{"op":"subscribe","subscriptions":{}}})",
                       list_of(text.subscriptions, [](const Subscribe::One& each) {
                         return fmt::format(R"({{"id":{},"channelId":{}}})", each.id, each.channel);
                       }));
  }
  std::string operator()(const Unsubscribe& text) const {
    return fmt::format(R"({{"op":"unsubscribe","subscriptionIds":{}}})", list_of(text.ids, number));
  }
  std::string operator()(const SubscribeConnectionGraph&) const {
    return R"({"op":"subscribeConnectionGraph"})";
  }
  /// All members are there, also of what kitbag does not have: services.
  std::string operator()(const ConnectionGraphUpdate& text) const {
    auto topics = [](const std::vector<ConnectionGraphUpdate::Topic>& all, const char* nodes) {
      return list_of(all, [&](const ConnectionGraphUpdate::Topic& each) {
        return fmt::format(R"({{"name":{},"{}":{}}})", quoted(each.name), nodes,
                           list_of(each.nodes, quoted));
      });
    };
    return fmt::format(
        R"({{"op":"connectionGraphUpdate","publishedTopics":{},"subscribedTopics":{},)"
        R"("advertisedServices":[],"removedTopics":{},"removedServices":[]}})",
        topics(text.published, "publisherIds"), topics(text.subscribed, "subscriberIds"),
        list_of(text.removed, quoted));
  }
};

}  // namespace

bool ServerInfo::can(std::string_view capability) const {
  return std::find(capabilities.begin(), capabilities.end(), capability) != capabilities.end();
}

Text parse_text(std::string_view json) {
  if (json.size() > kMostTextBytes) refuse("it is longer than 16 MiB");
  // Each value but the first follows one of these. Inside strings they are counted too, so the
  // estimate is never too low; it is made before the parser allocates.
  auto separates = [](char c) { return c == ',' || c == ':' || c == '[' || c == '{'; };
  if (std::count_if(json.begin(), json.end(), separates) > kMostValues) {
    refuse("it has more than 2,097,152 values");
  }
  rapidjson::Document document;
  // Iterative: recursion on deeply nested input would overflow the stack.
  document.Parse<rapidjson::kParseIterativeFlag>(json.data(), json.size());
  if (document.HasParseError() || !document.IsObject()) refuse("it is not a JSON object");
  std::string op = needed_text_in(document, "op");
  if (op == "serverInfo") return server_info_of(document);
  if (op == "status") return status_of(document);
  if (op == "advertise") return advertise_of(document);
  if (op == "unadvertise") return unadvertise_of(document);
  if (op == "subscribe") return subscribe_of(document);
  if (op == "unsubscribe") return unsubscribe_of(document);
  if (op == "subscribeConnectionGraph") return SubscribeConnectionGraph{};
  if (op == "connectionGraphUpdate") return connection_graph_of(document);
  return OtherText{std::move(op)};
}

std::string to_json(const Text& text) {
  return std::visit(Print(), text);
}

}  // namespace kitbag::foxglove
