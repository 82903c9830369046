#include "server/page/page.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "server/http/ranges.h"
#include "server/page/embedded.h"

// Names with a hash of the content may be kept for a year, since another content has another name.
// index.html must be asked for each time: it names them. All files are in memory, and each coding
// of them is made once.
//
// A name is looked up in the table of files and never joined to a path.

namespace kitbag::server {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStart = "index.html";
/// Vite puts a hash of the content into the names of these: another content has another URL.
constexpr std::string_view kHashed = "assets/";

/// Nothing but this server is asked for anything, and no other site shows the page in a frame.
/// Pictures of a bag are made in the page: blob.
constexpr const char* kPolicy =
    "default-src 'self'; img-src 'self' blob: data:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'";

std::string page_media_type(std::string_view name) {
  constexpr std::pair<std::string_view, const char*> kTypes[] = {
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".mjs", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".json", "application/json"},
      {".txt", "text/plain; charset=utf-8"}};
  for (const auto& [extension, type] : kTypes) {
    if (name.ends_with(extension)) return type;
  }
  return "application/octet-stream";
}

std::string page_path(const Request& request) {
  std::string path;
  for (const std::string& segment : request.path) path += (path.empty() ? "" : "/") + segment;
  return path.empty() ? std::string(kStart) : path;
}

}  // namespace

PageFiles embedded_page() {
  PageFiles files;
  for (const EmbeddedFile& each : embedded_files()) {
    files.emplace(each.name, std::string(each.begin, each.end));
  }
  return files;
}

PageFiles page_in_folder(const std::string& folder) {
  PageFiles files;
  std::error_code failure;
  for (fs::recursive_directory_iterator at(folder, failure), end; !failure && at != end;
       at.increment(failure)) {
    if (!at->is_regular_file(failure)) continue;
    std::ifstream in(at->path(), std::ios::binary);
    files.emplace(fs::relative(at->path(), folder, failure).generic_string(),
                  std::string(std::istreambuf_iterator<char>(in), {}));
  }
  return failure || !files.contains(kStart) ? PageFiles() : files;
}

PageFiles installed_page() {
  std::error_code failure;
  fs::path program = fs::read_symlink("/proc/self/exe", failure);
  PageFiles files =
      page_in_folder((program.parent_path().parent_path() / "share/kitbag/web").string());
  return files.empty() ? embedded_page() : files;
}

PageFile page_file(std::string_view name, const std::string& text) {
  // Such an ETag only has to differ from that of another version of the file; nobody forges one.
  return {page_media_type(name), fmt::format("\"page-{:x}\"", std::hash<std::string>()(text)),
          name.starts_with(kHashed) ? "public, max-age=31536000, immutable" : "no-cache",
          std::make_shared<EncodedText>(text)};
}

Page::Page(const PageFiles& files) {
  for (const auto& [name, text] : files) files_[name] = page_file(name, text);
}

bool Page::has(const Request& request) const {
  return files_.contains(page_path(request));
}

Response Page::handle(const Request& request) const {
  return page_answer(request, files_.find(page_path(request))->second);
}

Response page_answer(const Request& request, const PageFile& file) {
  if (request.method != "GET" && request.method != "HEAD") {
    Response response = error_response(405, "only GET, HEAD is possible here");
    return std::move(response.set("Allow", "GET, HEAD"));
  }
  Content content;
  content.add(file.text->plain());
  Response response =
      answer(with_plain_tags(request), content, {file.etag}, {{"Content-Type", file.media_type}});
  encode(request, response, *file.text);
  response.set("Cache-Control", file.cache_control)
      .set("Content-Security-Policy", kPolicy)
      .set("Referrer-Policy", "no-referrer")
      .set("X-Content-Type-Options", "nosniff")
      .set("Vary", "Accept-Encoding");
  return response;
}

}  // namespace kitbag::server
