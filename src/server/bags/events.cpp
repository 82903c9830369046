#include "server/bags/events.h"

#include <fmt/format.h>
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/file_system.h"
#include "server/bags/bag_state.h"
#include "server/bags/seconds.h"

// A change is read, change, replace. Within a server a mutex orders writers; between servers the
// lock of the file does. The new file takes the place of the old one in one step (StagedSet), so
// readers need no lock and always see a whole file.
//
// While there is no file there is nothing to lock. Then it is created without replacing, and the
// second of two gets `exists`; all such cases are tried again from the start, because the change
// was made on what is no longer stored.
//
// Numbers are kept as their texts by the parser: a time since 1970 with nanoseconds has 19 digits,
// a double about 16.

namespace kitbag::server {
namespace {

using Value = rapidjson::Value;

/// How long a writer waits for one of another server, which takes milliseconds.
constexpr std::chrono::seconds kLockWithin{10};
constexpr std::chrono::milliseconds kLockAgain{5};

/// Says which event is wrong, and how.
class EventParser {
 public:
  explicit EventParser(const EventLimits& limits) : limits_(limits) {}

  Event parse(const Value& value) {
    ++number_;
    if (!value.IsObject()) fail("is not an object");
    Event event;
    bool has_start = false;
    for (const auto& [name, member] : value.GetObject()) {
      std::string_view key = text_of(name);
      if (key == "start_time") {
        event.start = time_of(key, member);
        has_start = true;
      } else if (key == "end_time") {
        event.end = time_of(key, member);
      } else if (key == "label") {
        event.label = text(key, member, limits_.label_bytes);
      } else if (key == "description") {
        event.description = text(key, member, limits_.description_bytes);
      } else if (key == "metadata") {
        event.metadata = metadata_of(member);
      } else {
        fail("has an unknown key \"" + escaped(key) + "\"");
      }
    }
    if (!has_start) fail("has no start_time");
    if (event.label.empty()) fail("has no label");
    if (event.end && *event.end < event.start) fail("ends before it starts");
    return event;
  }

 private:
  static std::string_view text_of(const Value& value) {
    return {value.GetString(), value.GetStringLength()};
  }

  [[noreturn]] void fail(const std::string& what, ErrorCode code = ErrorCode::invalid) const {
    throw Error(code, fmt::format("event {} {}", number_, what));
  }

  /// Numbers were parsed as their texts, so that no digit is lost.
  Time time_of(std::string_view key, const Value& value) const {
    auto time = value.IsString() ? parse_seconds(text_of(value)) : std::nullopt;
    if (!time) fail(fmt::format("has a {} that is not a time in seconds since 1970", key));
    return *time;
  }

  std::string text(std::string_view key, const Value& value, std::size_t most) const {
    if (!value.IsString()) fail(fmt::format("has a {} that is not a text", escaped(key)));
    if (value.GetStringLength() > most) {
      fail(fmt::format("has a {} of more than {} bytes", escaped(key), most), ErrorCode::limit);
    }
    // Half of a surrogate pair, as an escape, is the one thing that the parser lets through.
    std::size_t invalid_bytes = 0;
    valid_utf8(text_of(value), &invalid_bytes);
    if (invalid_bytes > 0) fail(fmt::format("has a {} that is not valid Unicode", escaped(key)));
    return std::string(text_of(value));
  }

  std::map<std::string, std::string> metadata_of(const Value& value) const {
    if (!value.IsObject()) fail("has metadata that is not an object of texts");
    if (value.MemberCount() > limits_.metadata_keys) {
      fail(fmt::format("has more than {} keys in its metadata", limits_.metadata_keys),
           ErrorCode::limit);
    }
    std::map<std::string, std::string> metadata;
    for (const auto& [name, member] : value.GetObject()) {
      metadata[text("key", name, limits_.metadata_bytes)] =
          text(text_of(name).substr(0, 100), member, limits_.metadata_bytes);
    }
    return metadata;
  }

  const EventLimits& limits_;
  std::size_t number_ = 0;
};

void add_event(const Event& event, std::string& text) {
  text += fmt::format("    {{\n      \"start_time\": {}", seconds_text(event.start));
  if (event.end) text += fmt::format(",\n      \"end_time\": {}", seconds_text(*event.end));
  text += fmt::format(",\n      \"label\": {}", json_quoted(event.label));
  if (!event.description.empty()) {
    text += fmt::format(",\n      \"description\": {}", json_quoted(event.description));
  }
  bool is_first = true;
  for (const auto& [key, value] : event.metadata) {
    text += fmt::format("{}{}: {}", is_first ? ",\n      \"metadata\": {" : ", ", json_quoted(key),
                        json_quoted(value));
    is_first = false;
  }
  if (!is_first) text += "}";
  text += "\n    }";
}

/// Beside the bag, whatever it is called while it is recorded.
std::string path_of_events(const BagEntry& bag) {
  std::string path = bag.path;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path.substr(0, path.rfind('/') + 1) + bag.name + std::string(kEventsSuffix);
}

/// Events of a bag from elsewhere may be a link: nothing is read or written behind it.
void require_no_link_out(const FileSystem& files, const std::string& path) {
  if (!files.is_local() || !leads_out_of(path.substr(0, path.rfind('/') + 1), path)) return;
  throw Error(ErrorCode::io, "the stored events are a link that leads out of their folder", path);
}

}  // namespace

SentEvents parse_events(std::string_view json, const EventLimits& limits) {
  constexpr unsigned kFlags = rapidjson::kParseNumbersAsStringsFlag |
                              rapidjson::kParseValidateEncodingFlag |
                              rapidjson::kParseIterativeFlag;  // however deep it is nested
  rapidjson::Document document;
  document.Parse<kFlags>(json.data(), json.size());
  if (document.HasParseError()) {
    throw Error(ErrorCode::invalid,
                fmt::format("malformed JSON at byte {}: {}", document.GetErrorOffset(),
                            rapidjson::GetParseError_En(document.GetParseError())));
  }
  EventParser parser(limits);
  auto list = document.IsObject() ? document.FindMember("events") : Value::MemberIterator();
  bool is_all = document.IsObject() && list != document.MemberEnd();
  if (!is_all) return {{parser.parse(document)}, false};
  if (!list->value.IsArray() || document.MemberCount() > 1) {
    throw Error(ErrorCode::invalid, "expected one event, or {\"events\": [...]} and nothing else");
  }
  if (list->value.Size() > limits.events) {
    throw Error(ErrorCode::limit, fmt::format("a bag has at most {} events", limits.events));
  }
  SentEvents sent{{}, true};
  for (const Value& each : list->value.GetArray()) sent.events.push_back(parser.parse(each));
  return sent;
}

std::string events_json(std::vector<Event> events) {
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.start < b.start; });
  std::string text = "{\n  \"events\": [";
  for (const Event& event : events) {
    text += &event == &events.front() ? "\n" : ",\n";
    add_event(event, text);
  }
  return text + (events.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

void remove_events(const std::string& path, const Session& session) {
  std::string events = path + std::string(kEventsSuffix);
  auto files = session.file_system(events);
  if (files->status(events)) files->remove(events);
}

std::string EventFiles::read(const BagEntry& bag) const {
  if (is_on_web(bag.path)) return events_json({});
  std::string path = path_of_events(bag);
  auto files = session_.file_system(path);
  require_no_link_out(*files, path);
  auto status = files->status(path);
  if (!status) return events_json({});
  EventLimits limits;
  if (!status->is_regular || status->size_bytes > limits.file_bytes) {
    throw Error(ErrorCode::corrupt, "the stored events are no regular file, or too large", path);
  }
  auto file = files->open(path);
  std::string text(static_cast<std::size_t>(status->size_bytes), '\0');
  text.resize(file->read(0, std::as_writable_bytes(std::span(text))));
  try {
    return events_json(parse_events(text, limits).events);
  } catch (const Error& error) {
    throw Error(ErrorCode::corrupt, "the stored events cannot be read: " + error.message(), path);
  }
}

std::optional<std::string> EventFiles::update(
    const BagEntry& bag,
    const std::function<std::optional<std::string>(const std::string& stored)>& change) {
  if (is_on_web(bag.path)) {
    throw Error(ErrorCode::unsupported,
                "events are stored beside their bag, and its web server takes no files");
  }
  std::lock_guard lock(mutex_);
  ClockPtr clock = session_.clock();
  SteadyTime give_up = clock->steady() + kLockWithin;
  while (true) {
    try {
      return try_update(bag, change);
    } catch (const Error& error) {
      // Another server has the lock, has created the file, or has deleted it.
      bool is_other = error.code() == ErrorCode::busy || error.code() == ErrorCode::exists ||
                      error.code() == ErrorCode::not_found;
      if (!is_other || clock->steady() >= give_up) throw;
    }
    clock->sleep({{}, clock->steady() + kLockAgain});
  }
}

/// Throws Error (busy, exists, not_found) if another server writes, creates or deletes the file.
std::optional<std::string> EventFiles::try_update(
    const BagEntry& bag,
    const std::function<std::optional<std::string>(const std::string& stored)>& change) const {
  std::string path = path_of_events(bag);
  auto files = session_.file_system(path);
  require_no_link_out(*files, path);
  std::string none = events_json({});
  if (!files->status(path)) {
    auto text = change(none);
    if (text && *text != none) create(path, *text, false);
    return text;
  }
  auto lock = files->lock(path, LockKind::exclusive, {});
  auto text = change(read(bag));
  if (!text) return text;
  if (*text == none) {
    files->remove(path);
    return text;
  }
  auto staged = files->stage(path, {});
  create(staged->place_instead(path, std::move(lock)), *text, true);
  staged->publish();
  return text;
}

void EventFiles::create(const std::string& path, const std::string& text, bool may_replace) const {
  auto file =
      session_.file_system(path)->create(path, {.io = Io::buffered, .may_replace = may_replace});
  file->append(std::as_bytes(std::span(text)));
  file->commit();
}

bool EventFiles::is_full(const BagEntry& bag, std::uint64_t bytes) const {
  std::string path = path_of_events(bag);
  return session_.file_system(path)->free_bytes(path.substr(0, path.rfind('/') + 1)) < bytes;
}

}  // namespace kitbag::server
