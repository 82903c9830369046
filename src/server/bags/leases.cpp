#include "server/bags/leases.h"

#include <algorithm>
#include <utility>

// Files are known by volume and number, not by name: a recorder renames them, and a deleted file
// has no name.
//
// Two times matter. While a lease lives, its file is in use. Some time after, too, if a request for
// a part has ended: a player asks for the next part soon, and would find its bag gone. A revoked
// lease gives no such time.
//
// Callbacks of revoke() run with the lock, so that give_back() in another thread waits, and no
// lease is destroyed while it is called. That is why they must not touch leases.

namespace kitbag::server {

Lease::Lease(std::shared_ptr<Leases> leases, const FileId& file, Duration after,
             std::function<void()> on_revoked)
    : leases_(std::move(leases)), file_(file), after_(after), on_revoked_(std::move(on_revoked)) {}

Lease::~Lease() {
  leases_->give_back(*this);
}

std::shared_ptr<Leases> Leases::make(ClockPtr clock) {
  return std::shared_ptr<Leases>(new Leases(std::move(clock)));
}

LeasePtr Leases::take(const FileId& file, Duration after, std::function<void()> on_revoked) {
  std::shared_ptr<Lease> lease(new Lease(shared_from_this(), file, after, std::move(on_revoked)));
  std::lock_guard lock(mutex_);
  files_[key_of(file)].leases.push_back(lease.get());
  return lease;
}

void Leases::give_back(Lease& lease) {
  SteadyTime now = clock_->steady();
  std::lock_guard lock(mutex_);
  auto found = files_.find(key_of(lease.file_));
  if (found != files_.end()) {
    std::erase(found->second.leases, &lease);
    if (!lease.is_revoked_) found->second.until = std::max(found->second.until, now + lease.after_);
  }
  std::erase_if(files_, [&](const auto& entry) {
    return entry.second.leases.empty() && entry.second.until <= now;
  });
}

bool Leases::is_leased(const FileId& file) {
  SteadyTime now = clock_->steady();
  std::lock_guard lock(mutex_);
  auto found = files_.find(key_of(file));
  return found != files_.end() && (!found->second.leases.empty() || found->second.until > now);
}

void Leases::revoke(const FileId& file) {
  std::lock_guard lock(mutex_);
  auto found = files_.find(key_of(file));
  if (found == files_.end()) return;
  for (Lease* lease : found->second.leases) {
    lease->is_revoked_ = true;
    if (lease->on_revoked_) lease->on_revoked_();
    ++revoked_;
  }
  files_.erase(found);
}

std::uint64_t Leases::revoked() const {
  std::lock_guard lock(mutex_);
  return revoked_;
}

}  // namespace kitbag::server
