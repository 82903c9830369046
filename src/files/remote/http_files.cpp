#include "files/remote/http_files.h"

#include <optional>
#include <string>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/escape.h"

namespace kitbag::remote {
namespace {

class HttpFiles final : public FileSystem {
 public:
  HttpFiles(std::string_view scheme, std::shared_ptr<Store> store)
      : scheme_(scheme), store_(std::move(store)) {}

  std::string_view scheme() const override { return scheme_; }

  std::optional<FileStatus> status(const std::string& path) const override {
    auto found = store_->find(*web_address(path));
    return found ? std::optional(status_of(*found)) : std::nullopt;
  }

  bool can_list() const override { return false; }
  std::vector<std::string> list(const std::string& folder) const override {
    throw Error(ErrorCode::unsupported, "folders cannot be listed by HTTP; name the files",
                shown_path(folder));
  }

  std::shared_ptr<const ReadFile> open(const std::string& path) const override {
    return store_->open(web_address(path));
  }

 private:
  std::string_view scheme_;
  std::shared_ptr<Store> store_;
};

}  // namespace

FileSystemPtr http_files(std::string_view scheme, std::shared_ptr<Store> store) {
  return std::make_shared<HttpFiles>(scheme, std::move(store));
}

}  // namespace kitbag::remote
