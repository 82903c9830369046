#include "server/bags/open_bags.h"

#include <algorithm>
#include <string>
#include <vector>

#include "server/bags/bag_state.h"
#include "server/bags/opened_file.h"
#include "server/views/file_cache.h"

// The entry is made before the bag is opened, with a future: other requests for the same bag wait
// for the first one and do not open it again, and requests for other bags are not held up. A
// failure is passed to all that wait and then forgotten, so the next request tries again.

namespace kitbag::server {
namespace {

/// What the second has beyond the first, as OpenBag::definitions.
std::string found_definitions(const Bag& own, const Bag& all) {
  constexpr std::size_t kTagDigits = 8;
  std::vector<std::string> found;
  const Channels& before = *own.channels();
  const Channels& after = *all.channels();
  for (std::size_t slot = 0; slot < before.size() && slot < after.size(); ++slot) {
    if (!before[slot] || !after[slot] || before[slot]->schema == after[slot]->schema) continue;
    const Schema& schema = *after[slot]->schema;
    found.insert(found.end(), {std::to_string(slot), schema.name, schema.language, schema.text});
  }
  return found.empty() ? "" : cache_key(found).substr(0, kTagDigits);
}

}  // namespace

OpenBagPtr OpenBags::open(const BagEntryPtr& entry) {
  // First, so that it is not deleted meanwhile.
  LeasePtr lease = leases_->take(entry->id, kLeasedAfterPart);
  Loaded loaded = find_or_load(entry);
  return std::make_shared<const OpenBag>(
      OpenBag{entry, std::move(loaded.bag), std::move(loaded.definitions), std::move(lease)});
}

void OpenBags::close(const FileId& file) {
  std::lock_guard lock(mutex_);
  kept_.remove_if([&](const Kept& each) { return each.id == file; });
}

OpenBags::Loaded OpenBags::find_or_load(const BagEntryPtr& entry) {
  std::promise<Loaded> promise;
  {
    std::unique_lock lock(mutex_);
    auto known = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& each) {
      return each.path == entry->path && each.version == entry->version;
    });
    if (known != kept_.end()) {
      kept_.splice(kept_.begin(), kept_, known);
      auto bag = known->bag;
      lock.unlock();
      return bag.get();
    }
    // An older state of the same bag is not asked for again.
    kept_.remove_if([&](const Kept& each) { return each.path == entry->path; });
    kept_.push_front({entry->path, entry->version, entry->id, promise.get_future().share()});
    if (kept_.size() > capacity_) kept_.pop_back();
  }
  try {
    Loaded loaded = load(entry);
    promise.set_value(loaded);
    return loaded;
  } catch (...) {
    promise.set_exception(std::current_exception());
    std::lock_guard lock(mutex_);
    kept_.remove_if([&](const Kept& each) {
      return each.path == entry->path && each.version == entry->version;
    });
    throw;
  }
}

OpenBags::Loaded OpenBags::load(const BagEntryPtr& entry) const {
  ReadOptions options;
  options.on_problem = [](const Error&) {};  // BagList has described the damage
  BagPtr bag = session_.open(entry->path, options);
  BagPtr with_definitions = defined(bag, definitions_, session_);
  Loaded loaded{with_definitions, found_definitions(*bag, *with_definitions)};
  if (entry->number == 0) return loaded;
  // Answers about it are kept for long, as being about this content and no other.
  auto now = state_of(entry->path, entry->name, false, entry->root, session_);
  if (!now || now->state != entry->state) throw Refusal(503, kBagHasChanged);
  return loaded;
}

}  // namespace kitbag::server
