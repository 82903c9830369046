#include "kitbag/plugin.h"

#include "files/http/http_files.h"

namespace {

void add_http(kitbag::Registry& registry) {
  for (auto& files : kitbag::http::http_file_systems()) registry.file_systems.push_back(files);
}

}  // namespace

KITBAG_PLUGIN(add_http);
