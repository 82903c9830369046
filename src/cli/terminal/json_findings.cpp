#include "cli/terminal/json.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <optional>

#include "cli/terminal/json_parts.h"
#include "cli/terminal/print.h"

namespace kitbag::cli {

void Findings::add(const Error& finding, Severity severity) {
  ++counts_[static_cast<std::size_t>(severity)];
  // A damaged bag may have a finding for each of its chunks; the counts stay right.
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

}  // namespace kitbag::cli
