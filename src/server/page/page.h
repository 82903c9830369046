#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "server/http/encoding.h"
#include "server/http/message.h"

// The player page: the files that web/ builds, which a browser loads from this server and from
// nowhere else. They come from share/kitbag/web beside the program, or from the program itself.
// They hold nothing of a bag, so nobody needs a token for them: the page asks for one when the API
// refuses it.

namespace kitbag::server {

/// The files of a page by their path in it: "index.html", "assets/index-x.js".
using PageFiles = std::map<std::string, std::string, std::less<>>;

/// Those in the program.
PageFiles embedded_page();
/// Those in a folder; empty if it has no index.html.
PageFiles page_in_folder(const std::string& folder);
/// Those that were installed with the program, or embedded_page().
PageFiles installed_page();

/// A file as it is sent. Any thread.
struct PageFile {
  std::string media_type;
  std::string etag;
  std::string cache_control;
  std::shared_ptr<EncodedText> text;
};

PageFile page_file(std::string_view name, const std::string& text);
/// The file, under the policy that keeps the page to this server; 405 if it is not asked for.
Response page_answer(const Request& request, const PageFile& file);

/// Any thread.
class Page {
 public:
  explicit Page(const PageFiles& files);

  /// Whether the path is that of a file.
  bool has(const Request& request) const;
  /// The file that the request names, which must be there.
  Response handle(const Request& request) const;

 private:
  std::map<std::string, PageFile, std::less<>> files_;
};

}  // namespace kitbag::server
