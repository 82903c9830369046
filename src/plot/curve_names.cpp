#include "plot/curve_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "arrow/column_type.h"
#include "arrow/numbers.h"
#include "columns/field_path.h"
#include "kitbag/error.h"
#include "kitbag/text.h"
#include "payload/field_steps.h"

// "/a.b.c" can be the field c of a topic "/a.b", or b.c of "/a": topics with dots are allowed. The
// longest topic that has the field is meant.
//
// A topic that begins another one sorts before it, so topics are tried from the last to the first:
// the longer one comes first.
//
// What there is not is remembered and not thrown, since a pipe may bring it yet. What is wrong in
// itself, such as a field that is no number, is thrown at once.

namespace kitbag {
namespace {

constexpr std::size_t kMostSimilar = 5;

using TypesByTopic = std::map<std::string, std::vector<TypePtr>>;

enum class Found : std::uint8_t { nothing, no_number, number };

TypesByTopic types_of(const Channels& channels, const Session& session) {
  TypesByTopic types;
  for (const ChannelPtr& channel : channels) {
    if (!channel) continue;
    auto& of_topic = types[channel->topic];
    if (!is_decodable(*channel, session)) continue;
    try {
      if (TypePtr type = type_of(*channel, session)) of_topic.push_back(std::move(type));
    } catch (const Error& error) {
      if (is_final(error.code())) throw;
    }
  }
  return types;
}

Found find(const std::vector<TypePtr>& types, const FieldPath& path) {
  Found found = Found::nothing;
  for (const TypePtr& type : types) {
    auto column = path.column_type(*type);
    if (!column) continue;
    if (arrow::Numbers::can_read(column->format)) return Found::number;
    found = Found::no_number;
  }
  return found;
}

bool is_number(const std::string& path, const Type& type) {
  try {
    auto column = FieldPath(path).column_type(type);
    return column && arrow::Numbers::can_read(column->format);
  } catch (const Error&) {
    return false;  // JSON can have names that no path can name
  }
}

/// The paths of numbers that need no index of a list.
std::vector<std::string> number_paths(const std::vector<TypePtr>& types) {
  std::set<std::string> known;
  std::vector<std::string> paths;
  for (const TypePtr& type : types) {
    for (std::string& each : all_paths(*type)) {
      if (is_number(each, *type) && known.insert(each).second) paths.push_back(std::move(each));
    }
  }
  return paths;
}

[[noreturn]] void throw_no_number(const std::string& topic, const std::string& field) {
  throw Error(ErrorCode::invalid,
              fmt::format("{}.{} is not a number; choose a number in it, or an element: ranges[3]",
                          topic, field));
}

[[noreturn]] void throw_not_decodable(const std::string& topic) {
  throw Error(ErrorCode::unsupported,
              fmt::format("the messages of {} cannot be decoded: their definition is missing, or "
                          "their encoding is not known",
                          topic));
}

std::string similar(const std::string& text, const std::vector<std::string>& known,
                    const char* what) {
  std::vector<std::string> nearest = nearest_texts(text, known, kMostSimilar);
  if (nearest.empty()) return {};
  return fmt::format("; similar {}: {}", what, fmt::join(nearest, ", "));
}

class CurveFinder {
 public:
  CurveFinder(const Channels& channels, const Session& session)
      : types_(types_of(channels, session)) {}

  CurveName find_name(const std::string& name) const {
    const std::string* nearest = nullptr;  // the longest topic that could be meant
    for (auto topic = types_.rbegin(); topic != types_.rend(); ++topic) {
      const auto& [text, types] = *topic;
      if (text == name) {
        if (auto found = only_number(text, types)) return {text, *found};
      }
      if (!is_in_front(text, name)) continue;
      if (!nearest || text.size() > nearest->size()) nearest = &text;
      if (auto found = find_in(text, types, name)) return {text, *found};
    }
    throw_missing(name, nearest);
  }

  void add_field(const std::string& field, std::vector<CurveName>& curves) const {
    FieldPath path(field);
    const std::string* of_no_number = nullptr;
    bool is_found = false;
    for (const auto& [topic, types] : types_) {
      Found found = find(types, path);
      if (found == Found::number) curves.push_back({topic, field});
      if (found == Found::no_number) of_no_number = &topic;
      is_found |= found == Found::number;
    }
    if (is_found) return;
    if (of_no_number) throw_no_number(*of_no_number, field);
    std::set<std::string> known;
    for (const auto& [topic, types] : types_) {
      for (std::string& each : number_paths(types)) known.insert(std::move(each));
    }
    throw Error(ErrorCode::not_found,
                fmt::format("no selected topic has a field {}{}", field,
                            similar(field, {known.begin(), known.end()}, "fields")));
  }

  /// A field with a number, for an error; empty if there is none.
  std::string example() const {
    for (const auto& [topic, types] : types_) {
      std::vector<std::string> paths = number_paths(types);
      if (!paths.empty()) return topic + '.' + paths.back();
    }
    return {};
  }

 private:
  static bool is_in_front(const std::string& topic, const std::string& name) {
    return name.size() > topic.size() + 1 && name.starts_with(topic) &&
           (name[topic.size()] == '.' || name[topic.size()] == '/');
  }

  static std::optional<std::string> find_in(const std::string& topic,
                                            const std::vector<TypePtr>& types,
                                            const std::string& name) {
    std::string field = name.substr(topic.size() + 1);
    std::replace(field.begin(), field.end(), '/', '.');
    std::optional<FieldPath> path;
    try {
      path.emplace(field);
    } catch (const Error&) {
      return std::nullopt;  // no path, but perhaps the rest of a longer topic
    }
    Found found = find(types, *path);
    if (found == Found::no_number) throw_no_number(topic, field);
    if (found == Found::nothing) return std::nullopt;
    return field;
  }

  static std::optional<std::string> only_number(const std::string& topic,
                                                const std::vector<TypePtr>& types) {
    if (types.empty()) throw_not_decodable(topic);
    std::vector<std::string> paths = number_paths(types);
    std::vector<std::string> own = paths;
    // A stamped number has a header, whose numbers nobody means by the name of the topic.
    std::erase_if(own, [](const std::string& path) { return path.starts_with("header."); });
    if (own.size() == 1) return own.front();
    if (paths.empty()) {
      throw Error(ErrorCode::invalid, fmt::format("{} has no field that is a number", topic));
    }
    std::size_t shown = std::min(paths.size(), 2 * kMostSimilar);
    throw Error(
        ErrorCode::invalid,
        fmt::format(
            "name a field of {}, such as {}.{}; its numbers are {}{}", topic, topic, paths.back(),
            fmt::join(paths.begin(), paths.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
            shown < paths.size() ? ", ..." : ""));
  }

  [[noreturn]] void throw_missing(const std::string& name, const std::string* topic) const {
    if (topic) {
      std::string field = name.substr(topic->size() + 1);
      std::replace(field.begin(), field.end(), '/', '.');
      FieldPath path(field);  // which says what is wrong with a path that is none
      const std::vector<TypePtr>& types = types_.at(*topic);
      if (types.empty()) throw_not_decodable(*topic);
      throw Error(ErrorCode::not_found, fmt::format("{} has no field {}{}", *topic, field,
                                                    similar(field, number_paths(types), "fields")));
    }
    // No topic is in front of the name, so what comes before the first dot was meant for one.
    std::string asked = name.substr(0, name.find('.'));
    std::vector<std::string> topics;
    for (const auto& [text, types] : types_) topics.push_back(text);
    std::string text = similar(asked, topics, "topics");
    if (text.empty() && !topics.empty()) {
      std::size_t shown = std::min(topics.size(), 2 * kMostSimilar);
      text = fmt::format(
          "; topics: {}{}",
          fmt::join(topics.begin(), topics.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
          shown < topics.size() ? ", ..." : "");
    }
    throw Error(ErrorCode::not_found,
                fmt::format("there is no topic for the field {}{}", name, text));
  }

  TypesByTopic types_;
};

}  // namespace

CurveNames find_curves(const Channels& channels, const PlotRequest& request,
                       const Session& session) {
  CurveFinder finder(channels, session);
  if (request.curves.empty() && request.fields.empty()) {
    std::string example = finder.example();
    throw Error(ErrorCode::invalid, fmt::format("name at least one field to plot{}{}",
                                                example.empty() ? "" : ", such as ", example));
  }
  CurveNames names;
  auto unless_missing = [&](auto find) {
    try {
      find();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::not_found) throw;
      if (!names.missing) names.missing = error;
    }
  };
  for (const std::string& name : request.curves) {
    unless_missing([&] { names.curves.push_back(finder.find_name(name)); });
  }
  for (const std::string& field : request.fields) {
    unless_missing([&] { finder.add_field(field, names.curves); });
  }
  if (!request.against.empty()) {
    unless_missing([&] { names.against = finder.find_name(request.against); });
  }
  std::vector<CurveName> once;
  for (CurveName& each : names.curves) {
    if (std::find(once.begin(), once.end(), each) == once.end()) once.push_back(std::move(each));
  }
  names.curves = std::move(once);
  if (names.curves.size() > PlotRequest::kMostCurves) {
    throw Error(ErrorCode::limit,
                fmt::format("there are {} curves, and a plot has at most {}; name fewer fields or "
                            "select fewer topics",
                            names.curves.size(), PlotRequest::kMostCurves));
  }
  return names;
}

}  // namespace kitbag
