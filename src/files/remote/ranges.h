#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files/remote/client.h"
#include "files/remote/tries.h"
#include "kitbag/error.h"
#include "kitbag/file_system.h"
#include "kitbag/remote_file.h"
#include "kitbag/remote_rules.h"
#include "kitbag/time.h"

namespace kitbag::remote {

/// What a URL leads to.
struct Found {
  std::uint64_t size_bytes = 0;
  std::string version;          ///< the ETag, if it tells versions apart
  Time modified{};              ///< as the server says
  std::vector<std::byte> head;  ///< the first bytes
  bool has_ranges = true;       ///< false: the server always sends the whole file
};

/// The same for people who ask a FileSystem.
FileStatus status_of(const Found& found);

/// A file and how it is asked for. Any thread.
class Address {
 public:
  virtual ~Address() = default;
  /// Returns a request for `size` bytes at `first`, which is valid for a short time. `headers` are
  /// added to it. Without `size`, for the whole file.
  virtual Request request(std::uint64_t first, std::optional<std::uint64_t> size,
                          const std::vector<std::string>& headers) const = 0;
  /// The address as people and logs may see it.
  virtual std::string shown() const = 0;
  /// A text that stands for the file, the same one for addresses that differ in who may read it
  /// only; nothing secret can be found out from it.
  virtual std::string identity() const = 0;
  /// What the store says of a request that has failed with HTTP `status`, by the body of its
  /// answer; empty: nothing.
  virtual std::string reason(long status, std::string_view body) const = 0;
};

using AddressPtr = std::shared_ptr<const Address>;

/// Returns the value of a header "Range".
std::string range_value(std::uint64_t first, std::uint64_t size);

/// Returns the address of a file on a web server, which may be read as `verdict` says.
AddressPtr web_address(std::string url, RemoteRules::Verdict verdict = {});

/// Requests the first bytes, and learns from the answer what is there; nothing if there is no such
/// file. Throws Error (io).
std::optional<Found> find(const Address& address, Client& client, const Retries& retries);

/// Returns a reader of the file that was found. It fails once the file has changed, and calls
/// `on_change` before: on the thread of the client, without its lock.
std::shared_ptr<const RangeReader> range_reader(AddressPtr address, const Found& found,
                                                std::function<void()> on_change,
                                                std::shared_ptr<Client> client,
                                                const Retries& retries);

/// Returns the whole file, in a temporary file. Throws Error (io).
std::shared_ptr<const ReadFile> downloaded(const Address& address, const Found& found,
                                           Client& client);

/// Sends the request of a caller who waits, again where that may help. `make` makes it; `take` gets
/// the body of an answer with the status 200. Returns the last answer; throws Error (io, not_found)
/// for any other status.
Answer fetch(const Address& address, const std::function<Request()>& make,
             const std::function<void(ByteView)>& take, Client& client, const Retries& retries);

}  // namespace kitbag::remote
