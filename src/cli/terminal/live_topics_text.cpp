#include "cli/terminal/live_topics_text.h"

#include <fmt/format.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "cli/terminal/print.h"
#include "cli/terminal/table.h"
#include "cli/terminal/width.h"
#include "kitbag/escape.h"
#include "kitbag/text.h"

namespace kitbag::cli {
namespace {

/// A system that knows no nodes has topics with nobody on them.
bool has_endpoints(const WatchedTopic& topic) {
  return !topic.publishers.empty() || !topic.subscribers.empty();
}

std::string node_of(const LiveEndpoint& endpoint) {
  return endpoint.node.empty() ? "(unknown node)" : endpoint.node;
}

std::string interval_text(Duration duration) {
  return fmt::format("{:.3f} ms", static_cast<double>(duration.count()) / 1e6);
}

std::string hz_text(double hz) {
  if (hz <= 0) return "-";
  return hz < 100 ? fmt::format("{:.3g} Hz", hz) : fmt::format("{:.0f} Hz", hz);
}

std::string payload_text(double bytes) {
  return format_size(static_cast<std::uint64_t>(std::min(bytes, 1e18)));
}

using Json = rapidjson::Writer<rapidjson::StringBuffer>;

void put_member(Json& json, const char* key, std::string_view text) {
  json.Key(key);
  std::string quoted = json_quoted(text);
  json.RawValue(quoted.data(), quoted.size(), rapidjson::kStringType);
}

void put_member(Json& json, const char* key, std::uint64_t number) {
  json.Key(key);
  json.Uint64(number);
}

void put_member(Json& json, const char* key, double number) {
  json.Key(key);
  json.Double(number);
}

void put_member(Json& json, const char* key, const std::vector<LiveEndpoint>& endpoints) {
  json.Key(key);
  json.StartArray();
  for (const LiveEndpoint& each : endpoints) {
    json.StartObject();
    put_member(json, "node", each.node);
    put_member(json, "qos", each.qos);
    json.EndObject();
  }
  json.EndArray();
}

void put_member(Json& json, const TopicRates& rates) {
  put_member(json, "encoding", rates.encoding);
  put_member(json, "messages", rates.messages);
  put_member(json, "bytes", rates.bytes);
  put_member(json, "least_bytes", rates.least_bytes);
  put_member(json, "most_bytes", rates.most_bytes);
  put_member(json, "rate_hz", rates.hz());
  put_member(json, "bytes_per_second", rates.bytes_per_second());
  put_member(json, "intervals", rates.intervals);
  for (auto [key, interval] :
       {std::pair{"least_interval_ns", rates.least}, std::pair{"mean_interval_ns", rates.mean},
        std::pair{"most_interval_ns", rates.most}, std::pair{"deviation_ns", rates.deviation}}) {
    json.Key(key);
    json.Int64(interval.count());
  }
}

}  // namespace

std::string topics_table(const WatchedTopics& topics, bool is_terminal) {
  if (topics.empty()) return {};
  std::vector<Cells> lines = {{"publishers", "subscribers", "topic", "type"}};
  for (const WatchedTopic& each : topics) {
    bool is_known = has_endpoints(each);
    lines.push_back({is_known ? grouped(each.publishers.size()) : "-",
                     is_known ? grouped(each.subscribers.size()) : "-", each.topic,
                     each.type.empty() ? "-" : each.type});
  }
  return layout_table(std::move(lines), {true, true, false, false}, is_terminal);
}

std::string rates_table(const WatchedTopics& topics, bool is_terminal) {
  if (topics.empty()) return {};
  std::vector<Cells> lines = {
      {"messages", "rate", "jitter", "shortest", "longest", "mean size", "a second", "topic"}};
  for (const WatchedTopic& each : topics) {
    Cells cells = {"0", "-", "-", "-", "-", "-", "-", each.topic};
    if (each.rates && each.rates->messages > 0) {
      cells[0] = grouped(each.rates->messages);
      cells[5] = payload_text(each.rates->mean_bytes());
    }
    // One message has a size, but two are needed for a rate.
    if (each.rates && each.rates->intervals > 0) {
      cells[1] = hz_text(each.rates->hz());
      cells[2] = interval_text(each.rates->deviation);
      cells[3] = interval_text(each.rates->least);
      cells[4] = interval_text(each.rates->most);
      cells[6] = payload_text(each.rates->bytes_per_second());
    }
    lines.push_back(std::move(cells));
  }
  return layout_table(std::move(lines), {true, true, true, true, true, true, true, false},
                      is_terminal);
}

std::string endpoints_text(const WatchedTopics& topics, bool is_terminal) {
  std::size_t width = 0;
  for (const WatchedTopic& each : topics) {
    for (const auto* endpoints : {&each.publishers, &each.subscribers}) {
      for (const LiveEndpoint& endpoint : *endpoints) {
        width = std::max(width, display_width(escaped(node_of(endpoint))));
      }
    }
  }
  std::string text;
  auto add = [&](const char* what, const std::vector<LiveEndpoint>& endpoints) {
    for (const LiveEndpoint& endpoint : endpoints) {
      std::string node = escaped(node_of(endpoint));
      std::string qos = describe_qos(endpoint);
      // No space at the end of a line that has no more.
      std::string space(qos.empty() ? 0 : width - display_width(node) + 2, ' ');
      text += fmt::format("  {:<12}{}{}{}\n", what, node, space, qos);
    }
  };
  for (const WatchedTopic& each : topics) {
    std::string type = each.type.empty() ? "type unknown" : escaped(each.type);
    text += styled(escaped(each.topic), Style::bold, is_terminal) + "  " + type + "\n";
    add("publisher", each.publishers);
    add("subscriber", each.subscribers);
    if (!has_endpoints(each)) text += "  the system does not say who sends and receives it\n";
  }
  return text;
}

std::vector<std::string> topic_warnings(const WatchedTopics& topics) {
  std::vector<std::string> warnings;
  for (const WatchedTopic& each : topics) {
    for (const QosConflict& conflict : each.conflicts) {
      warnings.push_back(
          fmt::format("{}: {} requests more {} than {} offers, and gets none of its messages",
                      each.topic, node_of(each.subscribers[conflict.subscriber]), conflict.policy,
                      node_of(each.publishers[conflict.publisher])));
    }
    if (each.dropped > 0) {
      warnings.push_back(fmt::format("{}: {} dropped and not counted; kitbag was too slow",
                                     each.topic, counted(each.dropped, "message")));
    }
    if (each.lost > 0) {
      warnings.push_back(fmt::format("{}: {} lost before they reached kitbag", each.topic,
                                     counted(each.lost, "message")));
    }
  }
  return warnings;
}

std::string topic_json(const std::string& uri, const WatchedTopic& topic) {
  rapidjson::StringBuffer buffer;
  Json json(buffer);
  json.StartObject();
  put_member(json, "system", uri);
  put_member(json, "topic", topic.topic);
  put_member(json, "type", topic.type);
  put_member(json, "publishers", topic.publishers);
  put_member(json, "subscribers", topic.subscribers);
  json.Key("incompatible");
  json.StartArray();
  for (const QosConflict& each : topic.conflicts) {
    json.StartObject();
    put_member(json, "publisher", topic.publishers[each.publisher].node);
    put_member(json, "subscriber", topic.subscribers[each.subscriber].node);
    put_member(json, "policy", each.policy);
    json.EndObject();
  }
  json.EndArray();
  if (topic.rates) put_member(json, *topic.rates);
  put_member(json, "dropped", topic.dropped);
  put_member(json, "lost", topic.lost);
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace kitbag::cli
