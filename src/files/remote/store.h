#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "files/remote/ranges.h"
#include "kitbag/remote_file.h"
#include "kitbag/remote_rules.h"

namespace kitbag::remote {

/// What all remote file systems share: connections, the cache, and what was found a moment ago.
/// Whoever opens a bag asks first what is at a path and opens it then; both are answered by one
/// request. That nothing is there is not remembered: who finds that out often waits for what
/// another process writes. Any thread.
class Store : public std::enable_shared_from_this<Store> {
 public:
  explicit Store(const RemoteOptions& options)
      : cache_(make_block_cache(options)), rules_(options.rules) {}

  /// Returns how an address may be read. Throws Error (invalid) if it may not.
  RemoteRules::Verdict verdict(const std::string& uri) const {
    return rules_ ? rules_->check(uri) : RemoteRules::Verdict();
  }
  /// Returns what is at an address; nothing: no such file. Throws Error (io).
  std::optional<Found> find(const Address& address);
  /// Opens a file. Throws Error (io, not_found).
  std::shared_ptr<const ReadFile> open(const AddressPtr& address);

  /// Forgets what was found at an address, where something else is now.
  void forget(const Address& address);

  Client& client() { return *client_; }
  const Retries& retries() const { return retries_; }

 private:
  using SteadyClock = std::chrono::steady_clock;
  struct Remembered {
    std::string url;  ///< with its secrets: another signature is another answer
    Found found;
    SteadyClock::time_point until;
  };

  std::shared_ptr<Client> client_ = std::make_shared<Client>();
  std::shared_ptr<BlockCache> cache_;
  std::shared_ptr<const RemoteRules> rules_;
  Retries retries_;
  std::mutex mutex_;
  std::list<Remembered> remembered_;
};

}  // namespace kitbag::remote
