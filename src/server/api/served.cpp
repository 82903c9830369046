#include "server/api/served.h"

#include <fmt/format.h>

#include <utility>

#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "server/bags/events.h"

// The recorder comes last and goes first: its callbacks use leases, open bags and the cache. A file
// that it deletes is closed here too, as a kept bag would hold its bytes on the disk, and its
// events are removed, which nobody could reach any more.
//
// A bag that is complete does not change, so what was made of it may be kept for a month; any other
// is asked for again each time, whether its writer seems to be alive or not. The ETag has the
// version of the bag, and what else the answer was made with: another kitbag may decode better.
// With a token, answers are `private`, so that a proxy does not hand them to others.

namespace kitbag::server {
namespace {

constexpr std::size_t kOpenBags = 64;
constexpr std::size_t kVideoReaders = 4;  ///< each has the frames that its decoder needs
constexpr std::uint64_t kExcerptBytes = 128 << 20;

std::string edition_of(const BagApiOptions& options) {
  constexpr std::size_t kEditionDigits = 8;
  // What changes answers about a bag that is the same: this kitbag, and the topics that are
  // latched.
  std::vector<std::string> parts = {"kitbag " KITBAG_VERSION};
  parts.insert(parts.end(), options.latched_topics.begin(), options.latched_topics.end());
  return cache_key(parts).substr(0, kEditionDigits);
}

/// A recorder into the first folder of `served`, all other members of which are there.
std::unique_ptr<RecorderService> recorder_into(Served& served) {
  if (!served.options.record) return nullptr;
  RecordOptions options = *served.options.record;
  std::string folder = served.session.path_of(served.options.places.front());
  auto status = served.session.file_system(folder)->status(folder);
  if (!status || !status->is_folder) {
    throw Error(ErrorCode::invalid, "is not a folder; the recorder needs one for its files",
                folder);
  }
  options.target.folder = folder;
  options.target.repairs_leftovers = true;
  options.target.leases = served.leases;
  options.on_deleted = [&served, on_deleted = options.on_deleted](const DeletedFile& file) {
    served.open.close(file.id);
    if (on_deleted) on_deleted(file);
    try {
      remove_events(file.path, served.session);
    } catch (const Error& error) {  // the recording goes on
      if (served.options.on_warning) served.options.on_warning(error);
    }
  };
  return std::make_unique<RecorderService>(std::move(options), served.session);
}

}  // namespace

Served::Served(BagApiOptions given, const Session& given_session)
    : options(std::move(given)),
      edition(edition_of(options)),
      session(given_session),
      bags(options.catalog.empty() ? options.places : std::vector<std::string>(), session,
           options.on_warning),
      catalog(options.catalog.empty()
                  ? nullptr
                  : std::make_unique<CatalogBags>(options.catalog, options.places, session)),
      leases(Leases::make(session.clock())),
      open(kOpenBags, session, leases, options.definitions),
      videos(kVideoReaders, session),
      signer(options.token, session.clock()),
      cache({options.cache_folder, options.max_cache_bytes}),
      excerpts(kExcerptBytes),
      recorder(recorder_into(*this)) {
  if (recorder) bags.watch_recorder([this] { return recorder->report().now.open_file; });
}

Served::~Served() {
  bags.watch_recorder({});
}

BagEntryPtr find_bag(Served& served, std::string_view name) {
  if (name.find("://") == std::string_view::npos) {
    return served.catalog ? served.catalog->find(name) : served.bags.find(name);
  }
  if (!served.options.addresses) {
    throw Refusal(403, "bags are not opened by their address here; see --allow-uri");
  }
  try {
    served.options.addresses->check_stranger(name);
  } catch (const Error& error) {
    throw Refusal(403, error.message());
  }
  return served.bags.find_at(std::string(name));
}

std::string base_url(const Served& served, const Request& request) {
  if (!served.options.public_url.empty()) return served.options.public_url;
  const std::string* host = request.header("host");
  return fmt::format("{}://{}", request.is_tls ? "https" : "http", host ? *host : "localhost");
}

std::string cache_control(const Served& served, bool may_change) {
  bool is_private = !served.options.token.empty();
  if (may_change) return is_private ? "private, no-cache" : "no-cache";
  return is_private ? "private, max-age=2592000" : "public, max-age=2592000";
}

std::string cache_control(const Served& served, const BagEntry& bag) {
  return cache_control(served, bag.may_grow);
}

void require_readable(const BagEntry& bag) {
  if (bag.error.empty()) return;
  throw Error(ErrorCode::invalid, "nothing of the bag can be read: " + bag.error);
}

OpenBagPtr open_readable(Served& served, const BagEntryPtr& bag) {
  require_readable(*bag);
  return served.open.open(bag);
}

Validator validator_of(const BagEntry& bag) {
  return {fmt::format("\"{}\"", bag.version), bag.dated};
}

std::string made_with(Served& served, const BagEntryPtr& bag) {
  if (!bag->may_lack_definitions) return served.edition;
  std::string definitions = open_readable(served, bag)->definitions;
  return definitions.empty() ? served.edition : served.edition + "-" + definitions;
}

Response answer_about(Served& served, const Call& call,
                      const std::function<void(Response& response)>& make) {
  // A bag that is not recorded any more may tell of damage, without another version.
  Validator validator{fmt::format("\"{}{}-{}\"", call.bag->version,
                                  call.bag->is_recording ? "-r" : "", made_with(served, call.bag))};
  return answer_about(served, call, validator, make);
}

Response answer_about(const Served& served, const Call& call, const Validator& validator,
                      const std::function<void(Response& response)>& make) {
  Response response;
  if (is_not_modified(call.request, validator)) {
    response.status = 304;
  } else {
    make(response);
  }
  response.set("ETag", validator.etag);
  response.set("Cache-Control", cache_control(served, *call.bag));
  return response;
}

Response json_about(Served& served, const Call& call, const std::function<std::string()>& make) {
  return answer_about(served, call, [&](Response& response) {
    response.set("Content-Type", "application/json");
    response.content.add(make());
  });
}

void add_damage(const BagEntry& bag, Response& response) {
  const std::vector<std::string>& damage = bag.damage.sentences();
  if (!damage.empty()) response.set(kDamageHeader, json_list(damage));
}

std::string json_list(const std::vector<std::string>& texts) {
  std::string list = "[";
  for (const std::string& each : texts) {
    if (list.size() > 1) list += ", ";
    list += json_quoted(each);
  }
  return list + "]";
}

}  // namespace kitbag::server
