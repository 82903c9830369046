#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "kitbag/record.h"

// Files that clients read. The recorder of the same process deletes old files; it asks here which
// of them to leave for now, and what to do about them when the disk is full.

namespace kitbag::server {

class Leases;

/// A file is leased as long as this lives.
class Lease {
 public:
  ~Lease();
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  /// The file was deleted and its space is needed: its readers must end. Any thread.
  bool is_revoked() const { return is_revoked_; }

 private:
  friend class Leases;
  Lease(std::shared_ptr<Leases> leases, const FileId& file, Duration after,
        std::function<void()> on_revoked);

  std::shared_ptr<Leases> leases_;
  FileId file_;
  Duration after_;
  std::function<void()> on_revoked_;
  std::atomic<bool> is_revoked_ = false;
};
using LeasePtr = std::shared_ptr<const Lease>;

/// How long a file stays leased after a request for a part of it: there will be another one.
inline constexpr std::chrono::seconds kLeasedAfterPart{60};

/// Any thread.
class Leases final : public FileLeases, public std::enable_shared_from_this<Leases> {
 public:
  static std::shared_ptr<Leases> make(ClockPtr clock);

  /// The file stays leased for the time `after` beyond the life of the lease. `on_revoked` is
  /// called when it is revoked, at most once and not after the lease has been destroyed; it must
  /// not touch leases.
  LeasePtr take(const FileId& file, Duration after = {}, std::function<void()> on_revoked = {});

  bool is_leased(const FileId& file) override;
  void revoke(const FileId& file) override;
  /// The number of leases that were revoked so far.
  std::uint64_t revoked() const;

 private:
  friend class Lease;
  explicit Leases(ClockPtr clock) : clock_(std::move(clock)) {}
  void give_back(Lease& lease);

  using Key = std::pair<std::uint64_t, std::uint64_t>;
  static Key key_of(const FileId& file) { return {file.volume, file.number}; }
  struct File {
    std::vector<Lease*> leases;
    SteadyTime until{};
  };

  ClockPtr clock_;
  mutable std::mutex mutex_;
  std::map<Key, File> files_;
  std::uint64_t revoked_ = 0;
};

}  // namespace kitbag::server
