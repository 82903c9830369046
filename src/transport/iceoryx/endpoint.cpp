#include "transport/iceoryx/endpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <iterator>

#include "transport/broker/address.h"

// A name of iceoryx has three parts, and a topic of a bag any number: the first two are the service
// and the instance, and the rest, with its slashes, is the event. So (Radar, Left, Object) is
// recorded as "/Radar/Left/Object", which is sent as (Radar, Left, Object). A prefix gives the
// first parts. A topic with too few parts gets `kitbag` in front: "/imu" is (kitbag, kitbag, imu),
// or (robot1, kitbag, imu) below "robot1".
//
// iceoryx separates the words of its requests by commas and cannot quote them, so a comma in a
// topic is written as %2C, and a percent sign as %25. Where the name does not tell the topic, the
// header of the message does.

namespace kitbag::iceoryx_transport {

namespace {

constexpr std::size_t kMostDefinitionBytes = 16 << 20;

std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == ',' || c == '%') {
      result += c == ',' ? "%2C" : "%25";
    } else {
      result += c;
    }
  }
  return result;
}

std::string unescaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    bool is_comma = text.starts_with("%2C");
    bool is_escaped = is_comma || text.starts_with("%25");
    result += is_comma ? ',' : text.front();
    text.remove_prefix(is_escaped ? 3 : 1);
  }
  return result;
}

std::string definition_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostDefinitionBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) throw Error(ErrorCode::io, "cannot be read", path);
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMostDefinitionBytes) {
    throw Error(ErrorCode::invalid, "a definition has at most 16 MiB", path);
  }
  return text;
}

}  // namespace

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  while (text.starts_with('/')) text.remove_prefix(1);
  while (!text.empty()) {
    std::size_t slash = text.find('/');
    parts.emplace_back(text.substr(0, slash));
    if (slash == std::string_view::npos) break;
    text.remove_prefix(slash + 1);
  }
  return parts;
}

Endpoint Endpoint::of(const Location& location) {
  Endpoint endpoint;
  endpoint.shown = fmt::format("{}://{}", location.scheme, location.path);
  broker::Parameters given(location, endpoint.shown,
                           {"full", "once", "times", "encoding", "type", "definition", "language"});
  endpoint.holds_back = given.choice("full", "drop", "wait");
  endpoint.is_once = given.choice("once", "0", "1");
  endpoint.keeps_time = given.choice("times", "received", "sent");
  endpoint.encoding = given.text("encoding");
  std::string type = given.text("type");
  std::string definition = given.file("definition");
  std::string language = given.text("language");
  if (definition.empty() != language.empty() || (!definition.empty() && type.empty())) {
    given.refuse("the parameters type, definition and language belong together");
  }
  if (!type.empty()) {
    endpoint.schema.emplace();
    endpoint.schema->name = type;
    endpoint.schema->language = language;
    if (!definition.empty()) endpoint.schema->text = definition_in(definition);
  }
  endpoint.prefix = parts_of(location.path);
  if (endpoint.prefix.size() > 2) {
    given.refuse(
        "invalid prefix; expected iceoryx://, iceoryx://SERVICE or "
        "iceoryx://SERVICE/INSTANCE");
  }
  for (const std::string& part : endpoint.prefix) {
    bool is_valid = !part.empty() && part.size() <= kMostPartBytes &&
                    part.find(',') == std::string::npos && part.find('\0') == std::string::npos;
    if (!is_valid) {
      given.refuse("invalid prefix; a part has 1 to 100 bytes, and no comma or zero byte");
    }
  }
  return endpoint;
}

std::string Endpoint::prefix_text() const {
  return fmt::format("{}", fmt::join(prefix, "/"));
}

std::optional<Name> name_of(const std::vector<std::string>& prefix, std::string_view topic) {
  std::vector<std::string> parts = prefix;
  std::vector<std::string> own = parts_of(escaped(topic));
  if (own.empty()) return std::nullopt;
  for (std::size_t i = prefix.size() + own.size(); i < 3; ++i) parts.emplace_back(kFiller);
  parts.insert(parts.end(), std::make_move_iterator(own.begin()),
               std::make_move_iterator(own.end()));
  Name name{parts[0], parts[1], fmt::format("{}", fmt::join(parts.begin() + 2, parts.end(), "/"))};
  for (const std::string* part : {&name.service, &name.instance, &name.event}) {
    bool is_valid =
        !part->empty() && part->size() <= kMostPartBytes && part->find('\0') == std::string::npos;
    if (!is_valid) return std::nullopt;
  }
  return name;
}

std::optional<std::string> topic_of(const std::vector<std::string>& prefix, const Name& name) {
  const std::string* parts[] = {&name.service, &name.instance, &name.event};
  std::string topic;
  for (std::size_t i = 0; i < 3; ++i) {
    if (i >= prefix.size()) {
      topic += '/' + unescaped(*parts[i]);
    } else if (prefix[i] != *parts[i]) {
      return std::nullopt;
    }
  }
  return topic;
}

Name descriptions_of(std::uint64_t sender) {
  return {std::string(kFiller), std::string(kDescriptionsInstance), fmt::format("{:016x}", sender)};
}

bool is_of_descriptions(const Name& name) {
  return name.service == kFiller && name.instance == kDescriptionsInstance &&
         name.event.size() == 16 &&
         name.event.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool is_internal(const Name& name) {
  return name.instance == "RouDi_ID" &&
         (name.service == "ServiceDiscovery" || name.service == "Introspection");
}

}  // namespace kitbag::iceoryx_transport
