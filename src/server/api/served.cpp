#include "server/api/served.h"

#include <fmt/format.h>

#include <utility>

namespace kitbag::server {
namespace {

constexpr std::size_t kOpenBags = 64;

}  // namespace

Served::Served(BagApiOptions given, const Session& given_session)
    : options(std::move(given)),
      session(given_session),
      bags(options.places, session, options.on_warning),
      open(kOpenBags, session) {}

std::string base_url(const Served& served, const Request& request) {
  if (!served.options.public_url.empty()) return served.options.public_url;
  const std::string* host = request.header("host");
  return fmt::format("{}://{}", request.is_tls ? "https" : "http", host ? *host : "localhost");
}

std::string cache_control(const Served& served, bool may_change) {
  return fmt::format("{}{}",
                     served.options.is_private ? "private, "
                     : may_change              ? ""
                                               : "public, ",
                     may_change ? "no-cache" : "max-age=2592000");
}

std::string cache_control(const Served& served, const BagEntry& bag) {
  return cache_control(served, bag.is_recording);
}

}  // namespace kitbag::server
