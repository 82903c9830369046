#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/record.h"
#include "kitbag/remote_rules.h"
#include "kitbag/session.h"
#include "server/api/link_signer.h"
#include "server/api/routes.h"
#include "server/bags/bag_list.h"
#include "server/bags/catalog_bags.h"
#include "server/bags/leases.h"
#include "server/bags/open_bags.h"
#include "server/bags/video_readers.h"
#include "server/http/message.h"
#include "server/http/ranges.h"
#include "server/recorder/recorder_service.h"
#include "server/slices/open_slices.h"
#include "server/views/excerpts.h"
#include "server/views/file_cache.h"

namespace kitbag::server {

/// What one request may cost.
struct WorkLimits {
  Duration work = std::chrono::minutes(10);  ///< of making an answer, not of waiting for its client
  std::uint64_t slice_bytes = std::uint64_t{100} << 30;  ///< payload in a slice
};

struct BagApiOptions {
  std::vector<std::string> places;  ///< folders with bags, or bags
  /// The address of the catalog whose bags are served, instead of those in `places`; if there are
  /// `places`, only what lies there. Empty: there is none.
  std::string catalog = {};
  /// The URL at which clients see the server, such as "https://robot.local"; empty: the request's
  /// host.
  std::string public_url = {};
  /// Topics whose last message before a slice belongs to it, besides those that are latched
  /// in the bag.
  std::set<std::string> latched_topics = {};
  bool uses_local_time = false;  ///< in the list; else UTC
  /// That of the server: answers are for those who have it, so shared caches must not keep them.
  std::string token = {};
  std::string cache_folder = {};  ///< for files that are made of bags
  std::uint64_t max_cache_bytes = std::uint64_t{10} << 30;
  /// What is recorded into the first folder; absent: nothing.
  std::optional<RecordOptions> record = std::nullopt;
  bool allows_sql = false;           ///< queries of clients
  DefinitionPaths definitions = {};  ///< where definitions are that bags lack
  /// Which addresses requests may name instead of a bag; null: none. The session must have the same
  /// rules.
  std::shared_ptr<const RemoteRules> addresses = nullptr;
  WorkLimits limits = {};
  OnWarning on_warning = {};
};

/// What all answers share: the bags, the open ones, the recorder, and the options. Any thread.
struct Served {
  /// Throws Error as BagList and RecorderService do.
  Served(BagApiOptions given, const Session& given_session);
  ~Served();
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  BagApiOptions options;
  /// Stands for the version of kitbag and the options that change what is made of a bag.
  std::string edition;
  Session session;
  BagList bags;                           ///< empty if there is a catalog
  std::unique_ptr<CatalogBags> catalog;   ///< null: there is none
  std::atomic<bool> is_stopping = false;  ///< what is under way is completed, and the server ends
  std::shared_ptr<Leases> leases;
  OpenBags open;
  VideoReaders videos;
  std::shared_ptr<OpenSlices> open_slices = std::make_shared<OpenSlices>();
  LinkSigner signer;
  FileCache cache;
  Excerpts excerpts;
  std::unique_ptr<RecorderService> recorder;  ///< null: nothing is recorded
};

/// The bag that a request names: one of the list, or, by its address, one that is not; null: there
/// is none. Throws Refusal (403) for an address that may not be read.
BagEntryPtr find_bag(Served& served, std::string_view name);

/// "https://robot.local": what URLs in an answer begin with.
std::string base_url(const Served& served, const Request& request);
/// Cache-Control for what a client may keep, and for what it must ask for again each time.
std::string cache_control(const Served& served, bool may_change);
/// Cache-Control for what was made of a bag: one that is complete does not change.
std::string cache_control(const Served& served, const BagEntry& bag);

/// Throws Error (invalid) for a bag of which nothing can be read.
void require_readable(const BagEntry& bag);
/// What identifies the bytes of the bag to clients.
Validator validator_of(const BagEntry& bag);
/// Stands for what an answer depends on besides the bag and the request: Served::edition, and the
/// definitions that the bag lacks. Throws as open_readable() does.
std::string made_with(Served& served, const BagEntryPtr& bag);
/// The bag, opened. Throws as require_readable() and OpenBags::open() do.
OpenBagPtr open_readable(Served& served, const BagEntryPtr& bag);

/// The answer to GET or HEAD with what `make` makes of a bag: 304 if the client has it already, and
/// with the headers of that state of the bag.
Response answer_about(Served& served, const Call& call,
                      const std::function<void(Response& response)>& make);
/// The same for a text in JSON.
Response json_about(Served& served, const Call& call, const std::function<std::string()>& make);
/// The same for what depends on nothing but the bag.
Response answer_about(const Served& served, const Call& call, const Validator& validator,
                      const std::function<void(Response& response)>& make);

/// Lists what an answer that is no JSON object leaves out: a header of what was known before, and
/// behind an answer that is made while it is sent, a trailer of what was found.
inline constexpr const char* kDamageHeader = "Kitbag-Damage";
/// Adds it, of what is known before the answer begins.
void add_damage(const BagEntry& bag, Response& response);
/// Of a stream in the Arrow IPC format.
inline constexpr const char* kArrowMediaType = "application/vnd.apache.arrow.stream";

/// ["...", "..."]
std::string json_list(const std::vector<std::string>& texts);

}  // namespace kitbag::server
