#include "export/lerobot/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

#include "base/yaml.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/fields.h"

// A person writes this description, so an error names the line, and keys that are most like an
// unknown one. What LeRobot would refuse when the dataset is read is refused here: a "/" in a name,
// names of its own columns, and "image" in the name of what is no camera.
//
//     fps: 30
//     task: fold the towel
//     episodes: bag                      or times, or a topic whose messages begin and end them
//     features:
//       observation.state: {topic: /joint_states, fields: position}
//     cameras:
//       observation.images.front: /camera/image

namespace kitbag::lerobot {
namespace {

constexpr unsigned kMostFps = 10'000;

[[noreturn]] void refuse(const Yaml& at, const std::string& sentence) {
  throw Error(ErrorCode::invalid, fmt::format("line {}: {}", at.line, sentence));
}

/// Throws for a key of the map that is none of `known`.
void require_keys(const Yaml& map, const std::vector<std::string>& known, std::string_view of) {
  if (!map.is_map()) refuse(map, fmt::format("{} is to be a map", of));
  std::set<std::string> seen;
  for (std::size_t i = 0; i + 1 < map.parts.size(); i += 2) {
    const std::string& key = map.parts[i].scalar;
    if (!seen.insert(key).second) refuse(map.parts[i], fmt::format("\"{}\" is here twice", key));
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    auto similar = nearest_texts(key, known, 1);
    refuse(map.parts[i],
           fmt::format("{} has no key \"{}\"; {}", of, key,
                       similar.empty() ? fmt::format("it has {}", fmt::join(known, ", "))
                                       : fmt::format("similar: {}", similar.front())));
  }
}

std::string text_at(const Yaml& map, std::string_view key, std::string_view of) {
  const Yaml& value = map[key];
  if (!value.is_scalar() || value.scalar.empty()) {
    refuse(value ? value : map, fmt::format("{} needs \"{}\", a text", of, key));
  }
  return value.scalar;
}

std::vector<std::string> texts_of(const Yaml& value, std::string_view what) {
  std::vector<std::string> texts;
  if (!value.is_list() && !value.is_scalar())
    refuse(value, fmt::format("{} is to be a list", what));
  if (value.is_scalar()) return {value.scalar};
  for (const Yaml& each : value.parts) {
    if (!each.is_scalar()) refuse(each, fmt::format("{} is to be a list of texts", what));
    texts.push_back(each.scalar);
  }
  return texts;
}

unsigned fps_of(const Yaml& map) {
  const Yaml& value = map["fps"];
  const std::string& text = value.scalar;
  unsigned fps = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), fps);
  bool is_whole = value.is_scalar() && error == std::errc() && end == text.data() + text.size();
  if (!is_whole || fps == 0 || fps > kMostFps) {
    refuse(value ? value : map,
           fmt::format("\"fps\" is to be a whole number from 1 to {}: LeRobot has no others",
                       kMostFps));
  }
  return fps;
}

/// What LeRobot takes for the name of a column.
void require_name(const Yaml& at, const std::string& name, bool is_camera,
                  std::set<std::string>& taken) {
  static const std::set<std::string> kOwn = {"timestamp", "frame_index", "episode_index", "index",
                                             "task_index"};
  if (name.empty() || name.find('/') != std::string::npos) {
    refuse(at,
           fmt::format("LeRobot allows no \"/\" in a name, and none that is empty: \"{}\"", name));
  }
  if (kOwn.contains(name)) refuse(at, fmt::format("{} is a column of LeRobot's own", name));
  if (!is_camera && name.find("image") != std::string::npos) {
    refuse(at,
           fmt::format("LeRobot takes {} for a camera, because of \"image\" in its name", name));
  }
  if (!taken.insert(name).second) refuse(at, fmt::format("{} is here twice", name));
}

/// One of `names`, in the order of Sampling.
Sampling sampling_of(const Yaml& map, const std::vector<std::string>& names,
                     const std::string& of) {
  if (!map["sampling"]) return Sampling::last;
  std::string text = text_at(map, "sampling", of);
  auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) {
    refuse(map["sampling"], fmt::format("{} has no sampling \"{}\"; there are {}", of,
                                        escaped(text), fmt::join(names, ", ")));
  }
  return static_cast<Sampling>(found - names.begin());
}

Feature feature_of(const std::string& name, const Yaml& value) {
  require_keys(value, {"topic", "fields", "dtype", "names", "sampling"}, name);
  Feature feature{.name = name, .topic = text_at(value, "topic", name)};
  if (!value["fields"]) refuse(value, fmt::format("{} needs \"fields\"", name));
  feature.fields = texts_of(value["fields"], "\"fields\"");
  if (feature.fields.empty()) refuse(value, fmt::format("{} has no fields", name));
  if (value["names"]) feature.names = texts_of(value["names"], "\"names\"");
  if (value["dtype"]) feature.dtype = text_at(value, "dtype", name);
  if (std::find(dtypes().begin(), dtypes().end(), feature.dtype) == dtypes().end()) {
    refuse(value["dtype"], fmt::format("there is no dtype {}; there are {}", feature.dtype,
                                       fmt::join(dtypes(), ", ")));
  }
  feature.sampling = sampling_of(value, {"last", "nearest", "interpolate"}, name);
  if (feature.sampling == Sampling::interpolate && !feature.dtype.starts_with("float")) {
    refuse(value["sampling"], fmt::format("{} has the dtype {}; what is interpolated is float32 or "
                                          "float64",
                                          name, feature.dtype));
  }
  return feature;
}

Camera camera_of(const std::string& name, const Yaml& value) {
  if (value.is_scalar()) return {name, value.scalar};
  if (!value.is_map()) refuse(value, fmt::format("{} needs the name of a topic", name));
  require_keys(value, {"topic", "dtype", "sampling"}, name);
  Camera camera{name, text_at(value, "topic", name)};
  std::string dtype = value["dtype"] ? text_at(value, "dtype", name) : "image";
  if (dtype != "image" && dtype != "video") {
    refuse(value["dtype"],
           fmt::format("a camera has no dtype {}; there are image, video", escaped(dtype)));
  }
  camera.is_video = dtype == "video";
  camera.sampling = sampling_of(value, {"last", "nearest"}, name);
  return camera;
}

TimePoint time_at(const Yaml& map, std::string_view key) {
  std::string text = text_at(map, key, "an episode");
  try {
    TimePoint time = parse_time(text);
    if (time.from != TimePoint::From::end) return time;
  } catch (const Error& error) {
    refuse(map[key], error.message());
  }
  refuse(map[key], "times of episodes count from the start, +5s, or are absolute");
}

Events events_of(const Yaml& value) {
  require_keys(value, {"topic", "start", "end", "task_field"}, "\"episodes\"");
  Events events{text_at(value, "topic", "\"episodes\""), text_at(value, "start", "\"episodes\""),
                text_of(value["end"]), text_of(value["task_field"])};
  for (const char* key : {"start", "end"}) {
    std::string expression = text_of(value[key]);
    if (expression.empty()) continue;
    try {
      fields_of_condition(expression);
    } catch (const Error& error) {
      refuse(value[key], error.message());
    }
  }
  return events;
}

std::vector<Range> ranges_of(const Yaml& value) {
  if (!value || (value.is_scalar() && value.scalar == "bag")) return {};
  if (!value.is_list() || value.parts.empty()) {
    refuse(value,
           "\"episodes\" is to be \"bag\", a list with \"start\" and \"end\" of each, or a "
           "\"topic\" with the \"start\" of each");
  }
  std::vector<Range> ranges;
  for (const Yaml& each : value.parts) {
    require_keys(each, {"start", "end", "task"}, "an episode");
    Range range{time_at(each, "start"), time_at(each, "end"), text_of(each["task"])};
    ranges.push_back(range);
  }
  return ranges;
}

Yaml load(const std::string& text) {
  try {
    return load_yaml(text);
  } catch (const Error& error) {
    throw Error(ErrorCode::invalid, error.message());
  }
}

}  // namespace

const std::vector<std::string>& dtypes() {
  static const std::vector<std::string> all = {"float32", "float64", "int32", "int64", "bool"};
  return all;
}

Config parse_config(const std::string& text) {
  Yaml yaml = load(text);
  if (!yaml) throw Error(ErrorCode::invalid, "the description of the dataset is empty");
  require_keys(yaml, {"fps", "robot_type", "task", "episodes", "features", "cameras"},
               "the description");
  Config config{.fps = fps_of(yaml)};
  config.robot_type = text_of(yaml["robot_type"]);
  config.task = text_of(yaml["task"]);
  if (yaml["episodes"].is_map()) {
    config.events = events_of(yaml["episodes"]);
  } else {
    config.ranges = ranges_of(yaml["episodes"]);
  }
  std::set<std::string> taken;
  auto each_of = [&](std::string_view key, bool is_camera, auto add) {
    const Yaml& map = yaml[key];
    if (!map) return;
    if (!map.is_map()) refuse(map, fmt::format("\"{}\" is to be a map", key));
    for (std::size_t i = 0; i + 1 < map.parts.size(); i += 2) {
      require_name(map.parts[i], map.parts[i].scalar, is_camera, taken);
      add(map.parts[i].scalar, map.parts[i + 1]);
    }
  };
  each_of("features", false, [&](const std::string& name, const Yaml& value) {
    config.features.push_back(feature_of(name, value));
  });
  each_of("cameras", true, [&](const std::string& name, const Yaml& value) {
    config.cameras.push_back(camera_of(name, value));
  });
  if (taken.empty()) refuse(yaml, "the dataset has no features and no cameras");
  bool has_tasks = std::all_of(config.ranges.begin(), config.ranges.end(),
                               [](const Range& range) { return !range.task.empty(); });
  // Every episode needs a task: from its message, its range, or the dataset.
  bool is_told =
      config.events ? !config.events->task_field.empty() : !config.ranges.empty() && has_tasks;
  if (config.task.empty() && !is_told) {
    refuse(yaml, "the dataset needs \"task\", a text that says what the robot does");
  }
  return config;
}

}  // namespace kitbag::lerobot
