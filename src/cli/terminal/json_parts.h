#pragma once

#include <rapidjson/rapidjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/damage.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/time.h"

// The parts of JSON texts, for a Writer or a PrettyWriter of RapidJSON.

namespace kitbag::cli {

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

}  // namespace kitbag::cli
