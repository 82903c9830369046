#include "files/remote/store.h"

#include "kitbag/error.h"

namespace kitbag::remote {
namespace {

constexpr std::chrono::seconds kRemembered{5};
constexpr std::size_t kMostRemembered = 64;

}  // namespace

std::optional<Found> Store::find(const Address& address) {
  std::string url = address.request(0, 1, {}).url;
  {
    std::lock_guard lock(mutex_);
    auto now = SteadyClock::now();
    remembered_.remove_if([&](const Remembered& each) { return each.until < now; });
    for (const Remembered& each : remembered_) {
      if (each.url == url) return each.found;
    }
  }
  auto found = remote::find(address, *client_, retries_);
  // Not remembered: another process may be about to write it.
  if (!found) return found;
  std::lock_guard lock(mutex_);
  remembered_.push_back({std::move(url), *found, SteadyClock::now() + kRemembered});
  if (remembered_.size() > kMostRemembered) remembered_.pop_front();
  return found;
}

void Store::forget(const Address& address) {
  std::string url = address.request(0, 1, {}).url;
  std::lock_guard lock(mutex_);
  remembered_.remove_if([&](const Remembered& each) { return each.url == url; });
}

std::shared_ptr<const ReadFile> Store::open(const AddressPtr& address) {
  auto found = find(*address);
  if (!found) throw Error(ErrorCode::not_found, "no such file", address->shown());
  if (!found->has_ranges) return downloaded(*address, *found, *client_);
  auto on_change = [self = weak_from_this(), address] {
    if (auto store = self.lock()) store->forget(*address);
  };
  return remote_file(range_reader(address, *found, on_change, client_, retries_), cache_,
                     found->head);
}

}  // namespace kitbag::remote
