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

#include "kitbag/file.h"
#include "kitbag/message.h"

namespace kitbag {

/// What becomes of a chunk when nobody reads it any more.
enum class Caching {
  bypass,  ///< it goes
  keep,    ///< it stays while there is room, for the next who wants it
};

/// How a chunk is fetched.
struct Fetch {
  // Not explicit: most who fetch are not stopped.
  Fetch(Caching then = Caching::bypass, std::stop_token until = {})
      : caching(then), stop(std::move(until)) {}

  Caching caching;
  std::stop_token stop;  ///< fetching throws Error (cancelled) if it is requested meanwhile
};

/// The chunks that the readers of a session share: each is read, unpacked and verified once,
/// however many want it at a time. Formats look up what is the same for all readers; what one of
/// them wants of a chunk it picks out itself.
///
/// A chunk is found while anybody holds it, whether it is kept or not. A reader that goes through a
/// whole bag keeps none, so that it does not push out what those need who seek around. Chunks that
/// lie in the file as they are, and damaged ones, are not shared: the first are in the system's
/// page cache, and damage is told to each reader that meets it.
///
/// Memory that readers take to load ahead is out of the same budget, and goes first. Any thread.
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

  /// Names `file` in a Place, when it is read in the way that `manner` tells. A file that does not
  /// tell its identity is equal to no other.
  std::shared_ptr<const std::string> name_of(const ReadFile& file, const std::string& manner);

  /// The body of the chunk at `place`, by `load` if nobody has it. What `load` throws goes to its
  /// caller; others who wait for the same chunk then load it themselves. Who is stopped while
  /// another loads it only stops waiting.
  Owner get(const Place& place, const Fetch& fetch, const std::function<Loaded()>& load);

  /// Room to load ahead, taken from what is kept; given back by its destructor. Null: there is none
  /// left.
  std::shared_ptr<const void> reserve(std::size_t bytes);

  struct Figures {
    std::uint64_t loads = 0;
    std::uint64_t hits = 0;
    std::size_t kept_chunks = 0;
    std::size_t kept_bytes = 0;
    std::size_t reserved_bytes = 0;
  };
  Figures figures() const;

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
  /// Takes out what does not fit; to be let go of without the lock.
  Recent take_excess();

  const std::size_t capacity_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable_any loaded_;
  std::unordered_map<Place, Entry, PlaceHash> entries_;
  Recent recent_;
  std::unordered_map<Place, Recent::iterator, PlaceHash> kept_;
  Figures figures_;
  std::uint64_t unnamed_ = 0;  ///< files without an identity
};

}  // namespace kitbag
