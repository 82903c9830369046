#include "kitbag/plugin.h"

#include <memory>

#include "files/remote/account.h"
#include "files/remote/http_files.h"
#include "files/remote/s3_files.h"
#include "files/remote/store.h"

// Files on web servers and in object stores. A plugin, because libcurl brings much with it.

namespace {

void add_to(kitbag::Registry& registry) {
  using namespace kitbag::remote;
  auto store = std::make_shared<Store>(registry.remote);
  registry.file_systems.push_back(http_files("http", store));
  registry.file_systems.push_back(http_files("https", store));
  registry.file_systems.push_back(s3_files(account_of_this_process, store));
}

}  // namespace

KITBAG_PLUGIN(add_to);
