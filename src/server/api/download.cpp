#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/file_system.h"
#include "kitbag/registry.h"
#include "kitbag/session.h"
#include "server/api/bag_api.h"
#include "server/api/parameters.h"
#include "server/api/tar.h"
#include "server/api/url.h"
#include "server/bags/bag_state.h"
#include "server/bags/opened_file.h"
#include "server/http/ranges.h"

// The bytes leave as they lie on the disk, by sendfile(2). A file that is complete must not change
// while it is sent, or the client would join two states: then the connection is aborted, and
// If-Range makes the client begin anew. A file that is being recorded grows, so it is sent as long
// as it was when the request came.
//
// What lies in an object store can also be had from there: for a client that says that it follows
// redirects, the store is asked for an address that is good for a short time. It stands for a key,
// so no cache may keep it.
//
// A directory becomes a tar whose parts are texts and files, so ranges work as for one file. All
// files are opened before the first byte is sent; one that is deleted meanwhile stays readable.

namespace kitbag::server {
namespace {

/// By the name: the content may be anything.
std::string media_type_of(const std::string& name, const Session& session) {
  for (const Format& format : session.registry().formats) {
    bool is_its = !format.is_container && name.ends_with(format.extension);
    if (is_its) return std::string(format.media_type);
  }
  return "application/octet-stream";
}

constexpr std::chrono::minutes kLinkLifetime{5};

/// A redirect to where the file lies; absent: it cannot be had from there, or the client does not
/// want one.
std::optional<Response> redirect_to_store(const Served& served, const Request& request,
                                          const BagEntry& bag) {
  if (!request.parameter("redirect")) return std::nullopt;
  bool is_wanted = choice_of(request, "redirect", {"0", "1"}) == "1" && request.method == "GET";
  if (!is_wanted || bag.is_folder || bag.is_recording) return std::nullopt;
  auto link = served.session.file_system(bag.path)->link(bag.path, kLinkLifetime);
  if (!link) return std::nullopt;
  Response response;
  response.status = 307;
  response.set("Location", *link).set("Cache-Control", "no-store");
  return response;
}

/// What identifies what was opened. Of a bag of a catalog its content does, since other servers
/// have it, too; so what was opened must be what the catalog has been compared with.
Validator validator_of_opened(const BagEntry& bag, const std::string& version, Time modified) {
  if (bag.number == 0) return {"\"" + version + "\"", modified};
  Validator validator = validator_of(bag);
  if (bag.is_folder) validator.etag.insert(1, "tar-");
  return validator;
}

/// A client that asks for a range will ask for the next one.
Duration lease_after(const Request& request) {
  return request.header("range") ? kLeasedAfterPart : Duration();
}

Response download_file(const Served& served, const Request& request, const BagEntryPtr& bag) {
  OpenedFile opened = open_leased_file(*served.session.file_system(bag->path), bag->path,
                                       lease_after(request), *served.leases);
  if (!bag->may_grow) opened.file->must_not_change();
  Content content;
  content.add(opened.file, 0, opened.size);
  bool is_as_known = opened.size == bag->size_bytes && opened.modified == bag->modified;
  if (bag->number != 0 && !is_as_known) throw Refusal(503, kBagHasChanged);
  Response response =
      answer(request, content, validator_of_opened(*bag, opened.version, opened.modified),
             {{"Content-Type", media_type_of(bag->name, served.session)}});
  response.set("Content-Disposition", attachment_of(title_of(*bag)));
  response.set("Cache-Control", cache_control(served, *bag));
  return response;
}

Response download_folder(const Served& served, const Request& request, const BagEntryPtr& bag) {
  auto files = served.session.file_system(bag->path);
  std::vector<std::string> names = files->list(bag->path);
  std::sort(names.begin(), names.end());
  Content content;
  Time modified{};
  std::string version = "tar";
  std::string folder = bag->path.ends_with('/') ? bag->path : bag->path + "/";
  for (const std::string& name : names) {
    auto status = files->status(folder + name);
    if (!status || !status->is_regular) continue;
    if (!bag->root.empty() && leads_out_of(bag->root, folder + name)) {
      throw Refusal(403, fmt::format("{} in the directory is a link that leads out of the folder "
                                     "that is served; put the file itself there",
                                     escaped(name)));
    }
    OpenedFile opened =
        open_leased_file(*files, folder + name, lease_after(request), *served.leases);
    if (!bag->may_grow) opened.file->must_not_change();
    // Copies of a bag of a catalog differ in their times.
    Time dated = bag->number != 0 ? bag->dated : opened.modified;
    content.add(tar_header(title_of(*bag) + "/" + name, opened.size, dated))
        .add(opened.file, 0, opened.size)
        .add(tar_padding(opened.size));
    modified = std::max(modified, opened.modified);
    version += "-" + opened.version;
  }
  content.add(tar_end());
  if (bag->number != 0 && !served.bags.is_current(*bag)) throw Refusal(503, kBagHasChanged);
  // One tag of bounded length, however many files there are.
  Response response =
      answer(request, content, validator_of_opened(*bag, "tar-" + cache_key({version}), modified),
             {{"Content-Type", "application/x-tar"}});
  response.set("Content-Disposition", attachment_of(title_of(*bag) + ".tar"));
  response.set("Cache-Control", cache_control(served, *bag));
  return response;
}

Response download(const Served& served, const Call& call) {
  try {
    if (auto redirect = redirect_to_store(served, call.request, *call.bag)) {
      return std::move(*redirect);
    }
    return call.bag->is_folder ? download_folder(served, call.request, call.bag)
                               : download_file(served, call.request, call.bag);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
    return error_response(404, "the bag has just been deleted");
  }
}

}  // namespace

void add_download(Routes& routes, Served& served) {
  const std::vector<Parameter> parameters = {
      {"redirect", "integer",
       "1: if the file lies in an object store, redirect to it there (307) for five minutes"}};
  routes.add({.method = "GET",
              .path = "/bags/{bag}/download",
              .summary = "The file of a bag; a directory as a tar",
              .media_type = "application/octet-stream",
              .parameters = parameters,
              .takes_any_parameter = true,
              .unknown_bag = 404,
              .answer = [&served](const Call& call) { return download(served, call); }});
  routes.add({.method = "GET",
              .path = "/bags/{bag}/download/{file}",
              .summary = "The same; {file} is the name of the bag, for viewers that look at the "
                         "extension of a URL",
              .media_type = "application/octet-stream",
              .parameters = parameters,
              .takes_any_parameter = true,
              .unknown_bag = 404,
              .answer = [&served](const Call& call) {
                if (call.names.at("file") == call.bag->name) return download(served, call);
                return error_response(404, "there is nothing at this path");
              }});
}

}  // namespace kitbag::server
