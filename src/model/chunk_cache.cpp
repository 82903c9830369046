#include "model/chunk_cache.h"

#include <fmt/format.h>

#include <utility>

#include "kitbag/error.h"

// An entry is a weak reference with a mark that somebody is loading. So nobody decides how long a
// chunk stays: it is found as long as a batch points into it, which is what makes several viewers
// of one bag cheap. `kept_` only adds owners of its own; the one that was not used for longest goes
// first.
//
// The deleter of a chunk takes the lock, to remove the entry. So the last owner must not be
// released under the lock: what does not fit any more is moved out and released behind it.
//
// Between the end of the last owner and its deleter an entry is there whose reference is dead. A
// reader that comes then loads the chunk again, and the deleter leaves alone what it finds loading.
//
// Readers wait for a chunk that another one loads. If that one fails, they try it themselves:
// damage has to be reported to each of them.

namespace kitbag {

std::shared_ptr<const std::string> ChunkCache::name_of(const ReadFile& file,
                                                       const std::string& manner) {
  std::string identity = file.identity();
  if (identity.empty()) {
    std::lock_guard lock(mutex_);
    identity = fmt::format("#{}", unnamed_++);
  }
  return std::make_shared<const std::string>(identity + ' ' + manner);
}

Owner ChunkCache::get(const Place& place, const Fetch& fetch, const std::function<Loaded()>& load) {
  auto is_loading = [&] {
    auto it = entries_.find(place);
    return it != entries_.end() && it->second.is_loading;
  };
  {
    bool has_waited = false;
    std::unique_lock lock(mutex_);
    for (auto it = entries_.find(place); it != entries_.end(); it = entries_.find(place)) {
      if (Owner body = it->second.body.lock()) {
        ++figures_.hits;
        if (has_waited) ++figures_.waits;
        auto kept = kept_.find(place);
        if (kept != kept_.end()) recent_.splice(recent_.begin(), recent_, kept->second);
        return body;
      }
      if (!it->second.is_loading) break;  // its last owner is about to release it
      has_waited = true;
      bool is_over = loaded_.wait(lock, fetch.stop, [&] { return !is_loading(); });
      if (!is_over) throw_if_stopped({fetch.stop});
    }
    entries_[place] = {{}, true};
    ++figures_.loads;
  }
  Loaded loaded;
  try {
    loaded = load();
  } catch (...) {
    forget(place);
    throw;
  }
  if (!loaded.is_shareable) {
    forget(place);
    return loaded.body;
  }
  std::size_t bytes = loaded.bytes;
  Owner body = share(place, std::move(loaded));
  if (fetch.caching == Caching::keep) keep(place, body, bytes);
  return body;
}

/// Others find it from now on, until the last owner is gone.
Owner ChunkCache::share(const Place& place, Loaded loaded) {
  const void* bytes = loaded.body.get();
  auto let_go = [cache = weak_from_this(), place,
                 body = std::move(loaded.body)](const void*) mutable {
    body.reset();
    auto alive = cache.lock();
    if (!alive) return;
    std::lock_guard lock(alive->mutex_);
    auto it = alive->entries_.find(place);
    // Another thread may be loading it again.
    bool is_over =
        it != alive->entries_.end() && !it->second.is_loading && it->second.body.expired();
    if (is_over) alive->entries_.erase(it);
  };
  Owner body(bytes, std::move(let_go));
  std::lock_guard lock(mutex_);
  entries_[place] = {body, false};
  loaded_.notify_all();
  return body;
}

void ChunkCache::forget(const Place& place) {
  std::lock_guard lock(mutex_);
  entries_.erase(place);
  loaded_.notify_all();
}

void ChunkCache::keep(const Place& place, const Owner& body, std::size_t bytes) {
  // In front of the lock, so that it is released behind it.
  Recent excess;
  std::lock_guard lock(mutex_);
  // A chunk that would displace half of the others is not worth it.
  if (bytes > capacity_bytes_ / 2 || kept_.contains(place)) return;
  recent_.push_front({place, body, bytes});
  kept_.emplace(place, recent_.begin());
  figures_.kept_bytes += bytes;
  excess = take_excess();
}

ChunkCache::Recent ChunkCache::take_excess() {
  Recent excess;
  while (!recent_.empty() && figures_.kept_bytes + figures_.reserved_bytes > capacity_bytes_) {
    figures_.kept_bytes -= recent_.back().bytes;
    kept_.erase(recent_.back().place);
    excess.splice(excess.begin(), recent_, std::prev(recent_.end()));
  }
  return excess;
}

std::shared_ptr<const void> ChunkCache::reserve(std::size_t bytes) {
  Recent excess;
  {
    std::lock_guard lock(mutex_);
    if (bytes > capacity_bytes_ - figures_.reserved_bytes) return nullptr;
    figures_.reserved_bytes += bytes;
    excess = take_excess();
  }
  auto give_back = [cache = shared_from_this(), bytes](const void*) {
    std::lock_guard guard(cache->mutex_);
    cache->figures_.reserved_bytes -= bytes;
  };
  return {this, std::move(give_back)};
}

ChunkFigures ChunkCache::figures() const {
  std::lock_guard lock(mutex_);
  ChunkFigures figures = figures_;
  figures.kept_chunks = recent_.size();
  return figures;
}

}  // namespace kitbag
