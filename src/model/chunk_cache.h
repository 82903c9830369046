#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>

#include "kitbag/chunk_figures.h"
#include "kitbag/file.h"
#include "kitbag/message.h"

namespace kitbag {

/// What happens to a chunk when nobody reads it any more.
enum class Caching {
  bypass,  ///< it is released
  keep,    ///< it stays while there is room, for the next reader
};

/// How a chunk is fetched.
struct Fetch {
  // Not explicit: most fetches are never stopped.
  Fetch(Caching then = Caching::bypass, std::stop_token until = {})
      : caching(then), stop(std::move(until)) {}

  Caching caching;
  std::stop_token stop;  ///< fetching throws Error (cancelled) if it is requested meanwhile
};

/// The chunks that the readers of a session share: each is read, decompressed and verified once,
/// however many readers need it at a time. Formats share what is the same for all readers; each
/// reader then picks from a chunk what it needs.
///
/// A chunk is found as long as anybody holds it, whether it is kept or not. A reader that goes
/// through a whole bag keeps none, so that it does not displace the chunks of readers that seek.
/// Uncompressed and damaged chunks are not shared: the former are in the system's page cache, and
/// damage is reported to each reader that finds it.
///
/// Memory for reading ahead comes from the same budget, and has priority. Any thread.
class ChunkCache : public std::enable_shared_from_this<ChunkCache> {
 public:
  explicit ChunkCache(std::size_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

  /// Where a chunk is. Equal files hold equal bytes, unpacked in the same way.
  struct Place {
    std::shared_ptr<const std::string> file;
    std::uint64_t offset = 0;

    bool operator==(const Place& other) const {
      return offset == other.offset && (file == other.file || *file == *other.file);
    }
  };
  /// A chunk that has been read: memory, and whether others may use it.
  struct Loaded {
    Owner body;
    std::size_t bytes = 0;
    bool is_shareable = false;
  };

  /// The name of `file` in a Place if it is read in the way that `manner` describes. A file without
  /// an identity equals no other.
  std::shared_ptr<const std::string> name_of(const ReadFile& file, const std::string& manner);

  /// Returns the body of the chunk at `place`, and calls `load` if nobody has it. What `load`
  /// throws goes to its caller; others that wait for the same chunk then load it themselves. A
  /// caller that is stopped while another one loads the chunk only stops waiting.
  Owner get(const Place& place, const Fetch& fetch, const std::function<Loaded()>& load);

  /// Memory for reading ahead, taken from that of kept chunks; its destructor returns it. Null:
  /// none is left.
  std::shared_ptr<const void> reserve(std::size_t bytes);

  ChunkFigures figures() const;

 private:
  struct PlaceHash {
    std::size_t operator()(const Place& place) const {
      return std::hash<std::string>{}(*place.file) ^ std::hash<std::uint64_t>{}(place.offset);
    }
  };
  struct Entry {
    std::weak_ptr<const void> body;
    bool is_loading = false;
  };
  struct Kept {
    Place place;
    Owner body;
    std::size_t bytes = 0;
  };
  using Recent = std::list<Kept>;  ///< the one used last in front

  Owner share(const Place& place, Loaded loaded);
  void forget(const Place& place);
  void keep(const Place& place, const Owner& body, std::size_t bytes);
  /// Removes what does not fit; the caller releases it without the lock.
  Recent take_excess();

  const std::size_t capacity_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable_any loaded_;
  std::unordered_map<Place, Entry, PlaceHash> entries_;
  Recent recent_;
  std::unordered_map<Place, Recent::iterator, PlaceHash> kept_;
  ChunkFigures figures_;
  std::uint64_t unnamed_ = 0;  ///< files without an identity
};

}  // namespace kitbag
