#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/excerpt.h"
#include "kitbag/registry.h"
#include "kitbag/video.h"
#include "server/api/bag_api.h"
#include "server/api/parameters.h"
#include "server/api/url.h"
#include "server/bags/opened_file.h"
#include "server/bags/seconds.h"
#include "server/http/ranges.h"
#include "server/views/file_cache.h"
#include "server/views/write_view.h"

// An MCAP file of any bag, or of a part of one, for viewers that open files by their URL. They look
// at the extension of the path, ask for the length first and then for ranges. So the length must be
// known before the first header is sent. Where the bag's own file can be used, the view is an
// excerpt of it, which is put together without reading the messages. Otherwise it is made as a file
// and kept in the cache; so is one with frames of a video from before its start.
//
// The same URL gives the same bytes until the bag changes. A bag that is being recorded changes all
// the time, so a request without an end is redirected to a URL with one: up to there the recording
// is complete.

namespace kitbag::server {
namespace {

constexpr std::string_view kFormat = "mcap";
/// Another text whenever the same bag and query give other bytes.
constexpr std::string_view kViewMaker = "view 3 of kitbag " KITBAG_VERSION;

/// ".mcap" is added to the name of a bag, also where it ends with it already. It may be left out
/// there, unless another bag has the name without it.
BagEntryPtr bag_of_view(Served& served, const std::string& file) {
  BagEntryPtr bag;
  if (file.ends_with(kViewExtension)) {
    bag = find_bag(served, file.substr(0, file.size() - kViewExtension.size()));
    if (!bag) bag = find_bag(served, file);
  }
  if (bag) return bag;
  throw Refusal(404, fmt::format("there is no bag for a view \"{}\"; its name is that of a bag "
                                 "followed by .mcap",
                                 escaped(file)));
}

ViewRequest view_request(const Served& served, const Request& request) {
  ViewRequest asked;
  asked.definitions = served.options.definitions;
  asked.query.select.topics = words_of(request, "topics");
  std::vector<std::string>& topics = asked.query.select.topics;
  std::sort(topics.begin(), topics.end());
  topics.erase(std::unique(topics.begin(), topics.end()), topics.end());
  if (const std::string* start = request.parameter("start")) {
    asked.query.begin = time_of("start", *start);
  }
  if (const std::string* end = request.parameter("end")) asked.query.end = time_of("end", *end);
  if (asked.query.end < asked.query.begin) {
    throw Error(ErrorCode::invalid, "end is before start");
  }
  asked.has_key_frames = number_of(request, "key_frames", 1, 0, 1) == 1;
  const std::string* encoding = request.parameter("encoding");
  if (!encoding || encoding->empty()) return asked;
  if (!find_codec(served.session.registry(), *encoding)) {
    throw Error(ErrorCode::invalid, "unknown encoding \"" + escaped(*encoding) + "\"");
  }
  asked.encoding = *encoding;
  return asked;
}

/// What is known of a recording up to now, and no message that is still to come.
Time complete_end(const BagEntry& bag) {
  return saturating_add(bag.end, Duration(1));
}

/// The same URL with another end.
Response redirect_to_end(const Served& served, const Request& request, Time end) {
  std::string query;
  auto add = [&](std::string_view name, std::string_view value) {
    query += fmt::format("{}{}={}", query.empty() ? "?" : "&", encode_segment(name),
                         encode_segment(value));
  };
  for (const auto& [name, value] : request.query) {
    if (name != "end") add(name, value);
  }
  add("end", seconds_text(end));
  Response response;
  response.status = 302;
  response.set("Location", fmt::format("{}/view/{}{}", base_url(served, request),
                                       encode_segment(request.path.back()), query));
  return std::move(response.set("Cache-Control", "no-store"));
}

/// Stands for the view, in the cache and as its ETag.
std::string key_of(Served& served, const BagEntryPtr& bag, const ViewRequest& asked) {
  std::vector<std::string> parts = {std::string(kViewMaker),
                                    bag->place,
                                    bag->is_recording ? bag->identity : bag->version,
                                    made_with(served, bag),
                                    asked.encoding,
                                    std::to_string(to_ns(asked.query.begin)),
                                    std::to_string(to_ns(asked.query.end)),
                                    asked.has_key_frames ? "" : "without key frames"};
  const std::vector<std::string>& topics = asked.query.select.topics;
  parts.insert(parts.end(), topics.begin(), topics.end());
  return cache_key(parts);
}

/// Whether videos begin before the view, so that it is no range of times.
bool has_frames_before(Served& served, const BagEntryPtr& bag, const ViewRequest& asked,
                       const std::stop_token& stop) {
  if (!asked.has_key_frames || asked.query.begin <= bag->start) return false;
  OpenBagPtr open = open_readable(served, bag);
  FramesBefore found =
      frames_before({open->bag}, asked.query, open->bag->channels(), served.session, {}, {stop});
  return !found.frames.empty() || !found.missing.empty();
}

/// Assembled from ranges of the bag's own file; absent: that is not possible.
std::optional<Content> content_of_excerpt(Served& served, const BagEntry& bag,
                                          const ViewRequest& asked, const std::string& key) {
  bool may_be = asked.encoding.empty() && !bag.is_recording && !bag.is_folder &&
                bag.damage.sentences().empty();
  if (!may_be) return std::nullopt;
  auto made = served.excerpts.get(key, [&] {
    ReadOptions reading;
    reading.on_problem = [](const Error&) {};
    return excerpt(served.session.input_at(bag.path), kFormat, asked.query, reading,
                   served.session);
  });
  if (!*made) return std::nullopt;
  OpenedFile file =
      open_leased_file(*served.session.file_system(bag.path), bag.path, {}, *served.leases);
  bool is_of_this_state = file.size == bag.size_bytes && file.modified == bag.modified;
  if (!is_of_this_state || !served.bags.is_current(bag)) throw Refusal(503, kBagHasChanged);
  file.file->must_not_change();
  Content content;
  for (const ExcerptPiece& piece : (*made)->pieces) {
    piece.bytes ? content.add(piece.bytes) : content.add(file.file, piece.offset, piece.size);
  }
  return content;
}

/// Written to a file in the cache.
Content content_of_file(Served& served, const BagEntry& bag, const ViewRequest& asked,
                        const std::string& key, const std::stop_token& stop) {
  auto make = [&](const std::string& path, const FileCache::Grown& grown,
                  const std::stop_token& none_waits) {
    write_view(bag.path, asked, path, grown, none_waits, served.session);
    bool is_of_this_state = bag.is_recording || served.bags.is_current(bag);
    if (!is_of_this_state) throw Refusal(503, kBagHasChanged);
  };
  OpenedFile made = served.cache.get(key + std::string(kViewExtension), make, stop);
  Content content;
  content.add(made.file, 0, made.size);
  return content;
}

Response view(Served& served, const Call& call) {
  const Request& request = call.request;
  BagEntryPtr bag = bag_of_view(served, call.names.at("file"));
  require_readable(*bag);
  LeasePtr lease = served.leases->take(bag->id, kLeasedAfterPart);
  ViewRequest asked = view_request(served, request);
  // Of what begins behind its end there is an empty view.
  Time most = std::max(complete_end(*bag), asked.query.begin);
  if (bag->is_recording && asked.query.end > most) return redirect_to_end(served, request, most);
  std::string key = key_of(served, bag, asked);
  Validator validator{"\"" + key + "\"", bag->dated};
  if (bag->is_recording) validator.modified.reset();
  TextPairs headers = {{"Content-Type", "application/mcap"}};
  // A client that has it already, or wants another state of it, need not wait.
  Response response = answer(request, {}, validator, headers);
  if (response.status != 304 && response.status != 412) {
    if (!asked.query.select.topics.empty()) {  // an unknown one is an error
      selection_of(request, open_readable(served, bag)->bag->summary(), served.session);
    }
    std::optional<Content> content;
    if (!has_frames_before(served, bag, asked, request.stop)) {
      content = content_of_excerpt(served, *bag, asked, key);
    }
    if (!content) content = content_of_file(served, *bag, asked, key, request.stop);
    response = answer(request, *content, validator, headers);
  }
  add_damage(*bag, response);
  response.set("Content-Disposition", attachment_of(request.path.back()));
  return std::move(response.set("Cache-Control", cache_control(served, *bag)));
}

}  // namespace

void add_view(Routes& routes, Served& served) {
  routes.add(
      {.method = "GET",
       .path = "/view/{file}",
       .summary = "An MCAP file of a bag or a part of it, for viewers; {file} is the name "
                  "of the bag followed by .mcap",
       .media_type = "application/mcap",
       .parameters = {{"topics", "string", "only these topics: names and globs, with commas",
                       kList},
                      {"start", "number", "only messages from then on, in seconds since 1970"},
                      {"end", "number", "only messages before then"},
                      {"key_frames", "integer",
                       "1 (default): frames of videos from before start come too, if the first "
                       "ones need them; 0: they do not"},
                      {"encoding", "string", "convert messages to it: ros1, cdr or json"}},
       .answer = [&served](const Call& call) { return view(served, call); }});
}

}  // namespace kitbag::server
