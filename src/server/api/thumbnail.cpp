#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/catalog.h"
#include "kitbag/error.h"
#include "kitbag/picture.h"
#include "kitbag/video.h"
#include "server/api/bag_api.h"
#include "server/api/parameters.h"
#include "server/bags/seconds.h"

// The picture of a topic at a time, small: for lists of bags, and for a time line under the mouse.
// Of a video also as large as it is, frame after frame, for pages whose browser decodes none.
//
// A catalog keeps a few small pictures of each bag. For a list of bags these will do, and no bag is
// opened for them.

namespace kitbag::server {
namespace {

constexpr std::uint64_t kDefaultWidth = 160;
constexpr std::uint64_t kMostPixels = 4096;  ///< in one direction

TimedPicture picture_in(Served& served, const OpenBag& open, const std::string& topic, Time time,
                        const PictureOptions& options, const Wait& wait) {
  if (has_video(*open.bag, topic, served.session, wait)) {
    return served.videos.picture_at(*open.entry, *open.bag, topic, time, options, wait);
  }
  return picture_at(*open.bag, topic, time, options, served.session, wait);
}

/// A picture that the catalog keeps, from around this time.
std::optional<CatalogPicture> kept_picture(Served& served, const BagEntry& bag,
                                           const std::string& topic, Time time) {
  std::optional<CatalogPicture> kept;
  if (bag.number == 0) return kept;
  served.catalog->pool().read(
      [&](Catalog& catalog) { kept = catalog.picture(bag.number, topic, time); });
  return kept;
}

Response thumbnail(Served& served, const Call& call) {
  const std::string* topic = call.request.parameter("topic");
  if (!topic) throw Error(ErrorCode::invalid, "topic is missing; it names a topic with pictures");
  const std::string* time_text = call.request.parameter("time");
  Time time = time_text ? time_of("time", *time_text) : Time::min();
  // A height without a width is the only limit then.
  std::uint64_t default_width = call.request.parameter("height") ? kMostPixels : kDefaultWidth;
  PictureOptions options;
  options.width =
      static_cast<std::uint32_t>(number_of(call.request, "width", default_width, 1, kMostPixels));
  options.height =
      static_cast<std::uint32_t>(number_of(call.request, "height", kMostPixels, 1, kMostPixels));
  bool is_png = choice_of(call.request, "format", {"jpeg", "png"}) == "png";
  bool is_rough = number_of(call.request, "rough", 0, 0, 1) == 1;
  if (is_rough && !is_png) {
    if (auto kept = kept_picture(served, *call.bag, *topic, time)) {
      return answer_about(served, call, validator_of(*call.bag), [&](Response& response) {
        response.set("Content-Type", "image/jpeg");
        response.set("Kitbag-Time", seconds_text(kept->time));
        response.content.add(std::string(as_text(kept->jpeg)));
      });
    }
  }
  OpenBagPtr open = open_readable(served, call.bag);
  return answer_about(served, call, [&](Response& response) {
    TimedPicture found = picture_in(served, *open, *topic, time, options, {call.request.stop});
    std::vector<std::byte> file =
        encode_picture(found.picture, is_png ? PictureFormat::png : PictureFormat::jpeg);
    response.set("Content-Type", is_png ? "image/png" : "image/jpeg");
    response.set("Kitbag-Time", seconds_text(found.log_time));
    response.content.add(std::string(as_text(file)));
  });
}

}  // namespace

void add_thumbnail(Routes& routes, Served& served) {
  routes.add(
      {.method = "GET",
       .path = "/bags/{bag}/thumbnail",
       .summary =
           "The picture of a topic at a time, scaled down; the header Kitbag-Time is its own "
           "time",
       .media_type = "image/jpeg",
       .parameters = {{"topic", "string", "a topic with pictures or a video"},
                      {"time", "number",
                       "the last picture at or before this time, or else the first one after it, "
                       "in seconds since 1970; default: the first picture"},
                      {"width", "integer", "at most this wide, in pixels; default 160"},
                      {"height", "integer", "at most this high, in pixels"},
                      {"format", "string", "jpeg (default) or png"},
                      {"rough", "integer",
                       "1: a picture from around this time will do, as a catalog keeps some, "
                       "whatever their size"}},
       .answer = [&served](const Call& call) { return thumbnail(served, call); }});
}

}  // namespace kitbag::server
