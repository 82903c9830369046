#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files/http/client.h"
#include "kitbag/error.h"
#include "kitbag/remote_file.h"
#include "kitbag/time.h"

namespace kitbag::http {

/// How a request that failed is tried again: each time after twice the delay, or as long as the
/// server asks for.
struct Retries {
  int most = 5;  ///< requests, with the first one
  std::chrono::milliseconds first_delay{100};
  std::chrono::milliseconds most_delay{10'000};
};

/// What a URL leads to.
struct Found {
  std::uint64_t size_bytes = 0;
  std::string version;          ///< the ETag, if it tells versions apart
  Time modified{};              ///< as the server says
  std::vector<std::byte> head;  ///< the first bytes
  bool has_ranges = true;       ///< false: the server always sends the whole file
};

/// Requests the first bytes of `url`, and learns from the answer what is there; nothing if there is
/// no such file. Throws Error (io).
std::optional<Found> find(const std::string& url, Client& client, const Retries& retries);

/// Returns a reader of the file that was found. It fails once the file has changed.
std::shared_ptr<const RangeReader> range_reader(const std::string& url, const Found& found,
                                                std::shared_ptr<Client> client,
                                                const Retries& retries);

/// Returns the whole file, in a temporary file. Throws Error (io).
std::shared_ptr<const ReadFile> downloaded(const std::string& url, const Found& found,
                                           Client& client);

}  // namespace kitbag::http
