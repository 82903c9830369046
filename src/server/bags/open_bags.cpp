#include "server/bags/open_bags.h"

#include <algorithm>

#include "server/bags/bag_state.h"
#include "server/bags/opened_file.h"

// The entry is made before the bag is opened, with a future: other requests for the same bag wait
// for the first one and do not open it again, and requests for other bags are not held up. A
// failure is passed to all that wait and then forgotten, so the next request tries again.

namespace kitbag::server {

OpenBagPtr OpenBags::open(const BagEntryPtr& entry) {
  // First, so that it is not deleted meanwhile.
  LeasePtr lease = leases_->take(entry->id, kLeasedAfterPart);
  return std::make_shared<const OpenBag>(OpenBag{entry, find_or_load(entry), std::move(lease)});
}

void OpenBags::close(const FileId& file) {
  std::lock_guard lock(mutex_);
  kept_.remove_if([&](const Kept& each) { return each.id == file; });
}

BagPtr OpenBags::find_or_load(const BagEntryPtr& entry) {
  std::promise<BagPtr> promise;
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
    BagPtr bag = load(entry);
    promise.set_value(bag);
    return bag;
  } catch (...) {
    promise.set_exception(std::current_exception());
    std::lock_guard lock(mutex_);
    kept_.remove_if([&](const Kept& each) {
      return each.path == entry->path && each.version == entry->version;
    });
    throw;
  }
}

BagPtr OpenBags::load(const BagEntryPtr& entry) const {
  ReadOptions options;
  options.on_problem = [](const Error&) {};  // BagList has described the damage
  BagPtr bag = defined(session_.open(entry->path, options), definitions_, session_);
  if (entry->number == 0) return bag;
  // Answers about it are kept for long, as being about this content and no other.
  auto now = state_of(entry->path, entry->name, false, session_);
  if (!now || now->state != entry->state) throw Refusal(503, kBagHasChanged);
  return bag;
}

}  // namespace kitbag::server
