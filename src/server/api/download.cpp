#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "kitbag/error.h"
#include "kitbag/file_system.h"
#include "server/api/bag_api.h"
#include "server/api/tar.h"
#include "server/api/url.h"
#include "server/http/ranges.h"

namespace kitbag::server {
namespace {

struct Opened {
  std::shared_ptr<const OpenFile> file;
  std::uint64_t size = 0;
  Time modified{};
  std::string version;
};

/// The file, and its state at this moment: the descriptor holds on to it, whoever replaces or
/// removes it meanwhile.
Opened open_regular(const std::string& path) {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw Error(ErrorCode::io, std::strerror(errno), path);
  Opened opened;
  opened.file = std::make_shared<const OpenFile>(descriptor);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw Error(ErrorCode::io, std::strerror(errno), path);
  if (!S_ISREG(status.st_mode)) throw Error(ErrorCode::io, "not a regular file", path);
  opened.size = static_cast<std::uint64_t>(status.st_size);
  opened.modified = Time(std::chrono::seconds(status.st_mtim.tv_sec) +
                         std::chrono::nanoseconds(status.st_mtim.tv_nsec));
  opened.version =
      fmt::format("{:x}-{:x}-{:x}", status.st_ino, opened.size, to_ns(opened.modified));
  return opened;
}

std::string media_type_of(const std::string& name) {
  if (name.ends_with(".mcap")) return "application/mcap";
  if (name.ends_with(".db3")) return "application/vnd.sqlite3";
  return "application/octet-stream";
}

}  // namespace

Response BagApi::download(const Request& request, const BagEntryPtr& bag) {
  if (bag->is_folder) return download_folder(request, bag);
  Opened opened = open_regular(bag->path);
  Content content;
  content.add(opened.file, 0, opened.size);
  Response response = answer(request, content, {"\"" + opened.version + "\"", opened.modified},
                             {{"Content-Type", media_type_of(bag->name)}});
  response.set("Content-Disposition", attachment_of(bag->name));
  response.set("Cache-Control", cache_control(*bag));
  return response;
}

Response BagApi::download_folder(const Request& request, const BagEntryPtr& bag) {
  auto files = session_.file_system(bag->path);
  std::vector<std::string> names = files->list(bag->path);
  std::sort(names.begin(), names.end());
  Content content;
  Time modified{};
  std::string version = "tar";
  std::string folder = bag->path.ends_with('/') ? bag->path : bag->path + "/";
  for (const std::string& name : names) {
    auto status = files->status(folder + name);
    if (!status || !status->is_regular) continue;
    Opened opened = open_regular(folder + name);
    content.add(tar_header(bag->name + "/" + name, opened.size, opened.modified))
        .add(opened.file, 0, opened.size)
        .add(tar_padding(opened.size));
    modified = std::max(modified, opened.modified);
    version += "-" + opened.version;
  }
  content.add(tar_end());
  // One tag of bounded length, however many files there are.
  std::string etag =
      fmt::format("\"tar-{:x}-{:x}\"", std::hash<std::string>()(version), to_ns(modified));
  Response response =
      answer(request, content, {etag, modified}, {{"Content-Type", "application/x-tar"}});
  response.set("Content-Disposition", attachment_of(bag->name + ".tar"));
  response.set("Cache-Control", cache_control(*bag));
  return response;
}

}  // namespace kitbag::server
