#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/session.h"
#include "server/bags/bag_list.h"

// Events: what people and programs note about a bag, at a time or for a while. They are stored
// beside the bag, as NAME.events.json, and so they are there for every server, and go with the bag
// when the folder is copied. The bag itself is never changed. Several servers may have the same
// folder: a writer locks the file, reads it, and replaces it. A bag without events has no file.
//
// The events of a bag of a catalog are in the catalog, so that all servers and programs that have
// it share them.

namespace kitbag::server {

/// What happened at a time, or from a time to another one.
struct Event {
  Time start{};
  std::optional<Time> end = std::nullopt;
  std::string label = {};
  std::string description = {};
  std::map<std::string, std::string> metadata = {};
};

/// The end of the names of files with events.
inline constexpr std::string_view kEventsSuffix = ".events.json";

/// What is accepted. More is refused with Error (limit).
struct EventLimits {
  std::size_t events = 10'000;  ///< of one bag
  std::size_t label_bytes = 256;
  std::size_t description_bytes = 16 << 10;
  std::size_t metadata_keys = 64;
  std::size_t metadata_bytes = 4 << 10;  ///< of a key or a value
  std::size_t file_bytes = 16 << 20;
};

/// What a client has sent: one event to add, or all events of a bag.
struct SentEvents {
  std::vector<Event> events;
  bool is_all = false;
};

/// Parses {"start_time": 1.5, "label": "..."} or {"events": [...]}. Times are decimals of seconds
/// since 1970, exact to the nanosecond. Throws Error: invalid with the number of the event and what
/// is wrong with it, limit.
SentEvents parse_events(std::string_view json, const EventLimits& limits = {});
/// {"events": [...]}, by time.
std::string events_json(std::vector<Event> events);

/// Deletes the file with events of a bag that has been deleted; `path` is the bag's.
void remove_events(const std::string& path, const Session& session);

/// Where the events of bags are. One writer at a time, also among servers. Any thread.
class EventStore {
 public:
  virtual ~EventStore() = default;

  /// The events of a bag as JSON. Throws Error: corrupt if what is stored are none.
  virtual std::string read(const BagEntry& bag) const = 0;
  /// Stores what `change` makes of the JSON that is stored now, and returns it; absent, and nothing
  /// is stored, if `change` returns nothing. `change` is called again if another server was faster.
  /// Throws Error as `change` does, io if it cannot be written, and busy if another program does
  /// not let go of the file.
  virtual std::optional<std::string> update(
      const BagEntry& bag,
      const std::function<std::optional<std::string>(const std::string& stored)>& change) = 0;
  /// Whether there is no room for `bytes` more where they are.
  virtual bool is_full(const BagEntry& bag, std::uint64_t bytes) const = 0;
};

/// The files with events.
class EventFiles final : public EventStore {
 public:
  explicit EventFiles(const Session& session) : session_(session) {}

  std::string read(const BagEntry& bag) const override;
  std::optional<std::string> update(
      const BagEntry& bag,
      const std::function<std::optional<std::string>(const std::string& stored)>& change) override;
  bool is_full(const BagEntry& bag, std::uint64_t bytes) const override;

 private:
  std::optional<std::string> try_update(
      const BagEntry& bag,
      const std::function<std::optional<std::string>(const std::string& stored)>& change) const;
  void create(const std::string& path, const std::string& text, bool may_replace) const;

  Session session_;
  std::mutex mutex_;
};

}  // namespace kitbag::server
