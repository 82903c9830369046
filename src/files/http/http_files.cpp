#include "files/http/http_files.h"

#include <fmt/format.h>

#include <chrono>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "files/http/ranges.h"
#include "files/http/url.h"
#include "kitbag/remote_file.h"

// Whoever opens a bag asks first what is at a path and opens it then. Both are answered by one
// request: what was found is remembered for a moment.

namespace kitbag::http {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kCacheBytes = 64 << 20;
constexpr std::chrono::seconds kRemembered{5};
constexpr std::size_t kMostRemembered = 64;

/// Of both schemes.
struct Shared {
  std::shared_ptr<Client> client = std::make_shared<Client>();
  std::shared_ptr<BlockCache> cache = make_block_cache(kCacheBytes);
  Retries retries;

  std::optional<Found> find_now(const std::string& url) {
    {
      std::lock_guard lock(mutex);
      auto now = SteadyClock::now();
      remembered.remove_if([&](const Remembered& each) { return each.until < now; });
      for (const Remembered& each : remembered) {
        if (each.url == url) return each.found;
      }
    }
    auto found = http::find(url, *client, retries);
    std::lock_guard lock(mutex);
    remembered.push_back({url, found, SteadyClock::now() + kRemembered});
    if (remembered.size() > kMostRemembered) remembered.pop_front();
    return found;
  }

 private:
  struct Remembered {
    std::string url;
    std::optional<Found> found;  ///< nothing: no such file
    SteadyClock::time_point until;
  };
  std::mutex mutex;
  std::list<Remembered> remembered;
};

class HttpFiles final : public FileSystem {
 public:
  HttpFiles(std::string_view scheme, std::shared_ptr<Shared> shared)
      : scheme_(scheme), shared_(std::move(shared)) {}

  std::string_view scheme() const override { return scheme_; }

  std::optional<FileStatus> status(const std::string& path) const override {
    auto found = shared_->find_now(path);
    if (!found) return std::nullopt;
    FileStatus status;
    status.is_regular = true;
    status.size_bytes = found->size_bytes;
    status.modified = found->modified;
    status.changed = found->modified;
    return status;
  }

  std::vector<std::string> list(const std::string& folder) const override {
    throw Error(ErrorCode::unsupported, "folders cannot be listed by HTTP; name the files",
                shown_url(folder));
  }

  std::shared_ptr<const ReadFile> open(const std::string& path) const override {
    auto found = shared_->find_now(path);
    if (!found) throw Error(ErrorCode::not_found, "no such file", shown_url(path));
    if (!found->has_ranges) return downloaded(path, *found, *shared_->client);
    return remote_file(range_reader(path, *found, shared_->client, shared_->retries),
                       shared_->cache, found->head);
  }

 private:
  std::string_view scheme_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace

std::vector<FileSystemPtr> http_file_systems() {
  auto shared = std::make_shared<Shared>();
  return {std::make_shared<HttpFiles>("http", shared),
          std::make_shared<HttpFiles>("https", shared)};
}

}  // namespace kitbag::http
